// The clue rules of wordpl/core/clues.py: one mark per letter, `c` in place, `i` elsewhere, `.` absent.

const MARKS = ".ic";

/** Return the clue without counting repeated letters: `i` means that the secret contains the letter. */
function anywhere(guess, secret) {
  let marks = "";
  for (let at = 0; at < guess.length; at++) marks += guess[at] === secret[at] ? "c" : secret.includes(guess[at]) ? "i" : ".";
  return marks;
}

/** Return the clue of Wordle, where each letter of the secret explains at most one mark. */
function counted(guess, secret) {
  const spare = {};
  for (let at = 0; at < guess.length; at++) {
    if (guess[at] !== secret[at]) spare[secret[at]] = (spare[secret[at]] || 0) + 1;
  }
  let marks = "";
  for (let at = 0; at < guess.length; at++) {
    if (guess[at] === secret[at]) marks += "c";
    else if (spare[guess[at]] > 0) {
      spare[guess[at]]--;
      marks += "i";
    } else marks += ".";
  }
  return marks;
}

const CLUE_RULES = { anywhere, counted };

/** Return the clue of `length` marks whose number in base 3 is `code`. */
function decodeClue(code, length) {
  let marks = "";
  for (let at = 0; at < length; at++) {
    marks = MARKS[code % 3] + marks;
    code = Math.floor(code / 3);
  }
  return marks;
}
