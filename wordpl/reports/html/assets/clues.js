// The rules of clues, as wordpl/core/clues.py has them: one mark a letter, `c` here, `i` elsewhere, `.` nowhere.

const MARKS = ".ic";

/** Return the clue in which `i` says that the secret has the letter, however often. */
function anywhere(guess, secret) {
  return [...guess].map((letter, at) => (letter === secret[at] ? "c" : secret.includes(letter) ? "i" : ".")).join("");
}

/** Return the clue the way Wordle gives it, where each letter of the secret explains one mark. */
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
