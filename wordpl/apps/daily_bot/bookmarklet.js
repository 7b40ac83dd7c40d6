// Plays the puzzle on the open page. PAGE, SHAPES, ANSWERS, LATER, LENGTH and TREE are replaced by bookmarklet.py.

(async () => {
  const page = PAGE;
  const shapes = SHAPES;
  const text = ANSWERS;
  const length = LENGTH;
  const tree = TREE;
  const wordsIn = (words) => words.match(new RegExp(`.{${length}}`, "g")) || [];
  const answers = wordsIn(text);
  const later = wordsIn(LATER);
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

  const clue = (guess, secret) => {
    const spare = [];
    for (let i = 0; i < length; i += 1) if (guess[i] !== secret[i]) spare.push(secret[i]);
    return [...guess].map((letter, i) => {
      if (letter === secret[i]) return "c";
      const at = spare.indexOf(letter);
      if (at < 0) return ".";
      spare.splice(at, 1);
      return "i";
    }).join("");
  };

  // A tree is the list of its guesses in preorder, by clues; if one or two answers are left, the first is guessed.
  const fromTree = (rows) => {
    let at = 0;
    let found = null;
    const walk = (left, depth, isPath) => {
      const guess = left.length > 2 ? tree.substr(length * at++, length) : left[0];
      if (isPath && depth === rows.length) found = guess;
      const groups = {};
      for (const word of left) (groups[clue(guess, word)] ??= []).push(word);
      delete groups["c".repeat(length)];
      for (const marks of Object.keys(groups).sort()) {
        walk(groups[marks], depth + 1, isPath && depth < rows.length && rows[depth][0] === guess && rows[depth][1] === marks);
        if (found) return;
      }
    };
    walk([...answers].sort(), 0, true);
    return found;
  };

  const guessFor = (rows, refused) => {
    const planned = tree ? fromTree(rows) : null;
    if (planned && !refused.includes(planned)) return planned;
    const fits = (word) => !refused.includes(word) && rows.every(([guess, marks]) => clue(guess, word) === marks);
    return answers.find(fits) || later.find(fits);
  };

  // What it says is shown on the page, and read by screen readers.
  const say = (message) => {
    let note = document.getElementById("wordpl-bookmarklet");
    if (!note) {
      note = document.createElement("div");
      note.id = "wordpl-bookmarklet";
      note.setAttribute("role", "status");
      note.style.cssText = "position:fixed;z-index:2147483647;left:1em;bottom:1em;padding:.6em 1em;max-width:90vw;" +
        "background:#111;color:#fff;border:2px solid #fff;font:16px sans-serif";
      document.body.append(note);
    }
    note.textContent = message;
  };
  const shape = shapes.find((one) => document.querySelector(one.row));
  if (!shape) return say("The bookmarklet does not know this page. Open a page with a puzzle, and click again.");
  if (window.wordplBookmarkletPlays) return say("The bookmarklet is playing. Wait until it has ended.");
  window.wordplBookmarkletPlays = true;
  window.wordplBookmarklet = [];
  window.wordplBookmarkletEnd = "";
  say("The bookmarklet is playing.");
  const judged = () => {
    const rows = page.rows(shape);
    const end = rows.findIndex(([, marks]) => !marks.every((mark) => mark));
    return (end < 0 ? rows : rows.slice(0, end)).map(([word, marks]) => [word, marks.join("")]);
  };
  const until = async (isDone, ms) => {
    for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) if (isDone()) return true;
    return false;
  };
  const erase = () => { for (let i = 0; i < length; i += 1) page.press("Backspace"); };
  const refused = [];
  let message = "The bookmarklet stopped after 200 words.";
  const play = async () => {
  for (let n_typed = 0; n_typed < 200; n_typed += 1) {
    const rows = judged();
    const isWon = rows.length && rows[rows.length - 1][1] === "c".repeat(length);
    if (isWon || rows.length === shape.max_guesses) {
      message = isWon ? `Solved in ${rows.length}.` : "Not solved.";
      break;
    }
    const word = guessFor(rows, refused);
    if (!word) {
      message = "No word of this bookmarklet gives these clues. Make a new one, with newer words.";
      break;
    }
    window.wordplBookmarklet.push(word);
    const shown = () => (page.rows(shape)[rows.length] || [""])[0];
    for (let wait_ms = 200; wait_ms <= 6400; wait_ms *= 2) {
      for (const letter of word) {
        page.press(letter);
        await sleep(20);
      }
      if (await until(() => shown() === word, wait_ms)) break; // a row that is still turning does not hear the first keys
      erase();
    }
    page.watch(shape);
    page.press("Enter");
    const isJudged = () => judged().length > rows.length;
    await until(() => isJudged() || page.watched(shape), 6000);
    if (!isJudged()) {
      refused.push(word);
      erase();
      await until(() => isJudged() || (!shown() && !page.refusal(shape)), 6000);
    }
  }
  };
  try {
    await play();
  } catch (error) {
    message = `The bookmarklet failed: ${error.message}. The page may have changed.`;
  }
  window.wordplBookmarkletPlays = false;
  window.wordplBookmarkletEnd = message;
  say(message);
})();
