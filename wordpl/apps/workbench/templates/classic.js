// NAME: one sentence on the idea, and its author.
// Each request is a line of JSON on standard input; the reply is a line on standard output.
const answers = require("fs").readFileSync("answers.txt", "utf8").split("\n").filter(Boolean);

let left; // the words that can still be the secret

function clue(guess, secret) {
  const spare = [...secret].filter((letter, at) => letter !== guess[at]);
  return [...guess]
    .map((letter, at) => {
      if (letter === secret[at]) return "c";
      const found = spare.indexOf(letter);
      if (found < 0) return ".";
      spare.splice(found, 1);
      return "i";
    })
    .join("");
}

function move(request) {
  if (request.new_game) {
    left = answers;
    return "crane"; // the first guess
  }
  const [guess] = request.move;
  left = left.filter((word) => clue(guess, word) === request.clues);
  return left[0]; // a word that agrees with all clues so far
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => process.stdout.write(JSON.stringify({ move: move(JSON.parse(line)) }) + "\n"));
