// A game that is being played: handles input, sends moves, and shows the state.

import { request } from "./api.js";
import { board, tile } from "./board.js";
import { dayPanel, dayPath } from "./day.js";
import { button, h, say, show, speak } from "./dom.js";
import { friends } from "./friends.js";
import { hints } from "./hints.js";
import { keyboard, keyOf } from "./keyboard.js";
import { slider } from "./price.js";
import { outcome, review } from "./review.js";
import { endGame } from "./storage.js";

const POLL_MS = 3000;
const HINT_TIMEOUT_MS = 70000;
const FIRST_EPSILON = 8;
const MARKS = [["c", "the letter is in this place"], ["i", "the letter is in another place"], [".", "the letter is not in the word"]];

/** Return the rules of the game, in a collapsed section. */
function help(state) {
  const marks = MARKS.map(([mark, meaning]) => h("p", { class: "row" }, tile("a", mark), meaning));
  const rules = state.rules.split("\n\n").map((part) => h("p", {}, part));
  const noise = state.has_epsilon
    ? [h("p", {}, "A guess costs its epsilon, and its marks may be false: a higher epsilon gives truer marks. Answer when you are sure.")]
    : [];
  return h("details", {}, h("summary", {}, "How to play"), ...rules, ...marks, ...noise);
}

/** Show a game, and return a function that leaves it. */
export function play(own, state, again) {
  const game = new Play(own, state, again);
  const onkey = (event) => game.typed(event);
  document.addEventListener("keydown", onkey);
  const timer = setInterval(() => game.poll(), POLL_MS);
  game.draw();
  return () => {
    document.removeEventListener("keydown", onkey);
    clearInterval(timer);
    game.isLeft = true;
  };
}

class Play {
  constructor(own, state, again) {
    Object.assign(this, { own, state, again, word: "", epsilon: FIRST_EPSILON, found: null, isBusy: false, isLeft: false });
    if (!state.is_open) endGame(own.id, state);
  }

  typed(event) {
    const key = keyOf(event);
    if (!key) return;
    event.preventDefault();
    this.press(key);
  }

  press(key) {
    if (this.isBusy || !this.state.is_open) return;
    if (key === "Enter" || key === "Answer") this.move(key === "Answer");
    else {
      say("");
      this.word = key === "Backspace" ? this.word.slice(0, -1) : (this.word + key).slice(0, this.state.length);
      document.getElementById("board").replaceWith(board(this.state, this.word));
    }
  }

  /** Send the typed word as a guess, or as the answer that ends a noisy game. */
  async move(isAnswer) {
    if (this.word.length !== this.state.length) {
      say(`A guess has ${this.state.length} letters.`, true);
      return;
    }
    const body = { round: this.state.round, word: this.word };
    if (this.state.has_epsilon) body.epsilon = isAnswer ? 0 : this.epsilon;
    await this.send("api/game/moves", body);
  }

  async send(path, body) {
    this.setBusy(true);
    try {
      this.take(await request(path, { body, token: this.own.token }));
    } catch (error) {
      say(error.message, true, error.status);
      if (error.status === 409) await this.poll(true);
    } finally {
      this.setBusy(false);
    }
  }

  /** Show the state that the server returned after a move. */
  take(state) {
    this.state = state;
    this.word = "";
    this.found = null;
    const last = state.rows.at(-1);
    if (!state.is_open) {
      endGame(this.own.id, state);
      speak(outcome(state));
    } else if (last) {
      say(`${last.guess.toUpperCase()}: ${[...last.clues].map((mark) => ({ c: "right place", i: "elsewhere", ".": "not in the word" })[mark]).join(", ")}.`);
    }
    this.draw();
  }

  /** Update the progress of the other players. */
  async poll(isForced = false) {
    const isWatching = this.state.mode === "friends" && !document.hidden && !this.state.review;
    if (this.isLeft || !(isForced || isWatching) || (this.isBusy && !isForced)) return;
    const etag = isForced ? undefined : this.state.version;
    const state = await request("api/game", { token: this.own.token, etag }).catch(() => null);
    if (!state || this.isLeft || (this.isBusy && !isForced)) return;
    const isShort = state.rows.length === this.state.rows.length && state.is_open === this.state.is_open;
    this.state = state;
    if (!state.is_open) endGame(this.own.id, state);
    const panel = document.getElementById("friends");
    if (isShort && panel && !state.review) panel.replaceWith(friends(state));
    else this.draw();
  }

  async hint() {
    this.setBusy(true);
    say("Computing a hint. The first hint after a start of the server takes up to a minute.");
    try {
      this.found = await request("api/game/hint", { token: this.own.token, timeoutMs: HINT_TIMEOUT_MS });
      this.draw();
      speak(this.found.lines.join(" "));
    } catch (error) {
      say(error.message, true);
    } finally {
      this.setBusy(false);
    }
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    document.body.toggleAttribute("data-busy", isBusy);
  }

  draw() {
    if (this.isLeft) return;
    const { state } = this;
    document.body.dataset.game = state.game;
    document.body.dataset.mode = state.mode;
    document.body.dataset.day = state.day ?? "";
    document.body.dataset.verdict = state.is_open ? "" : state.verdict ?? "late";
    const parts = [h("h1", {}, state.title + (state.day ? `, ${state.day}` : "")), help(state),
      board(state, this.word)];
    if (state.is_open) parts.push(...this.controls());
    else parts.push(review(state, state.mode === "solo" ? this.again : null));
    if (this.found && state.is_open) parts.push(hints(this.found));
    if (state.mode === "friends") parts.push(friends(state));
    show(...parts);
    if (state.mode === "daily" && state.has_epsilon && !state.is_open) this.showDay();
    window.scrollTo({ top: state.is_open ? document.documentElement.scrollHeight : 0 });
  }

  /** Add the ranking of the day, which only those see who have finished. */
  async showDay() {
    const found = await request(dayPath(this.state.game, this.state.day), { token: this.own.token });
    if (!this.isLeft) document.getElementById("review").after(dayPanel(found, this.own.token));
  }

  controls() {
    const isNoisy = this.state.has_epsilon;
    const parts = [];
    if (isNoisy) parts.push(slider(this.epsilon, this.state, (epsilon) => { this.epsilon = epsilon; }));
    const buttons = [button("Hint", () => this.hint(), { id: "hint" })];
    if (isNoisy) {
      buttons.unshift(
        button("Guess", () => this.move(false), { id: "guess", class: "main" }),
        button("Answer (ends the game)", () => this.move(true), { id: "answer" }),
      );
    }
    buttons.push(button("Give up", () => this.giveUp(), { id: "give-up" }));
    parts.push(keyboard(this.state, this.found?.letters, (key) => this.press(key)), h("div", { class: "buttons" }, ...buttons));
    if (isNoisy) parts.push(h("p", { class: "about" }, "Enter guesses; Shift+Enter answers."));
    return parts;
  }

  giveUp() {
    if (confirm("Give up and end the game?")) this.send("api/game/end", {});
  }
}
