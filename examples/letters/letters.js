// Plays Wordle by letter frequency: of the answers that are consistent with all clues, it guesses the one with the most common letters.
// It speaks the protocol of the harness (docs/protocol.md): one line of JSON in, one line of JSON out.

const fs = require("fs");
const readline = require("readline");

const answers = fs.readFileSync("answers.txt", "utf8").trim().split("\n");

// The clue for a guess, with repeated letters counted as Wordle does.
function clue(guess, secret) {
  const spare = {};
  for (let i = 0; i < guess.length; i++) {
    if (guess[i] !== secret[i]) spare[secret[i]] = (spare[secret[i]] || 0) + 1;
  }
  let marks = "";
  for (let i = 0; i < guess.length; i++) {
    if (guess[i] === secret[i]) marks += "c";
    else if (spare[guess[i]] > 0) {
      spare[guess[i]]--;
      marks += "i";
    } else marks += ".";
  }
  return marks;
}

// The word whose distinct letters occur in the most words; the first one in case of a tie.
function commonest(words) {
  const count = {};
  for (const word of words) for (const letter of new Set(word)) count[letter] = (count[letter] || 0) + 1;
  const score = (word) => [...new Set(word)].reduce((sum, letter) => sum + count[letter], 0);
  return words.reduce((best, word) => (score(word) > score(best) ? word : best));
}

const opener = commonest(answers);
let left = answers;

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.new_game) left = answers;
  else left = left.filter((word) => clue(request.move[0], word) === request.clues);
  const move = left.length === answers.length ? opener : commonest(left);
  process.stdout.write(JSON.stringify({ move }) + "\n");
});
