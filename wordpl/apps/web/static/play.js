// A game that is being played: handles input, sends moves, and shows the state.

import { request } from "./api.js";
import { board, fit, tile } from "./board.js";
import { dayPanel, dayPath } from "./day.js";
import { button, h, say, show, speak } from "./dom.js";
import { friends } from "./friends.js";
import { hints } from "./hints.js";
import { keyboard, keyOf } from "./keyboard.js";
import { slider } from "./price.js";
import { outcome, review } from "./review.js";
import { draft, endGame, tabs } from "./storage.js";

const POLL_MS = 3000;
const HINT_TIMEOUT_MS = 70000;
const FIRST_EPSILON = 8;
const MARKS = [["c", "the letter is in this place"], ["i", "the letter is in another place"], [".", "the letter is not in the word"]];
const SAID = { c: "right place", i: "elsewhere", ".": "not in the word" };

/** Return the rules of the game, which the button beside its title opens. */
function help(state) {
  const marks = MARKS.map(([mark, meaning]) => h("p", { class: "row" }, tile("a", mark), meaning));
  const rules = state.rules.split("\n\n").map((part) => h("p", {}, part));
  const noise = state.has_epsilon
    ? ["A guess costs its epsilon, and its marks may be false: a higher epsilon gives truer marks. Answer when you are sure: Shift+Enter, or the button."]
    : [];
  if (!state.is_exact) noise.push("The number beside a row is the probability that each of its marks is true.");
  return h("section", { id: "rules", popover: "auto", class: "panel", "aria-label": "How to play" },
    h("h2", {}, "How to play"), ...rules, ...marks, ...noise.map((text) => h("p", {}, text)),
    h("button", { type: "button", popovertarget: "rules", popovertargetaction: "hide" }, "Close"));
}

/** Show a game, and return a function that leaves it. */
export function play(own, state, again) {
  const game = new Play(own, state, again);
  const onkey = (event) => game.typed(event);
  const onlook = () => document.hidden || game.poll(game.state.is_open);
  document.addEventListener("keydown", onkey);
  document.addEventListener("visibilitychange", onlook);
  const timer = setInterval(() => game.poll(), POLL_MS);
  const sizes = new ResizeObserver((found) => found.forEach((one) => fit(one.target)));
  game.sizes = sizes;
  tabs.listen((id) => id === own.id && game.poll(true));
  game.draw();
  return () => {
    document.removeEventListener("keydown", onkey);
    document.removeEventListener("visibilitychange", onlook);
    clearInterval(timer);
    sizes.disconnect();
    game.isLeft = true;
  };
}

class Play {
  constructor(own, state, again) {
    const { word = "", epsilon = FIRST_EPSILON } = draft.get(own.id);
    Object.assign(this, { own, state, again, word, epsilon, found: null, isBusy: false, isLeft: false });
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
      if (matchMedia("(max-width: 60rem)").matches) this.showHints(false);
      this.word = key === "Backspace" ? this.word.slice(0, -1) : (this.word + key).slice(0, this.state.length);
      this.keep();
      this.drawBoard();
    }
  }

  keep() {
    draft.set(this.own.id, this.word, this.epsilon);
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
      tabs.tell(this.own.id);
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
    this.keep();
    this.found = null;
    const last = state.rows.at(-1);
    if (!state.is_open) {
      endGame(this.own.id, state);
      speak(outcome(state));
    } else if (last) {
      speak(`${last.guess.toUpperCase()}: ${[...last.clues].map((mark) => SAID[mark]).join(", ")}.`);
    }
    this.draw();
    [...document.querySelectorAll("#board [data-state=done]")].at(-1)?.classList.add("flip");
  }

  /** Update the game, which another tab may have changed, and the progress of the other players. */
  async poll(isForced = false) {
    const isWatching = this.state.mode === "friends" && !document.hidden && !this.state.review;
    if (this.isLeft || !(isForced || isWatching) || (this.isBusy && !isForced)) return;
    const state = await request("api/game", { token: this.own.token, etag: this.state.version }).catch(() => null);
    if (!state || this.isLeft || (this.isBusy && !isForced)) return;
    const isShort = state.rows.length === this.state.rows.length && state.is_open === this.state.is_open;
    this.state = state;
    if (!isShort) this.found = null;
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

  /** Show or hide the hints. What they say on keys and tiles stays until the next move. */
  showHints(isShown) {
    document.getElementById("hints")?.toggleAttribute("hidden", !isShown);
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    document.body.toggleAttribute("data-busy", isBusy);
  }

  drawBoard() {
    document.getElementById("board").replaceWith(board(this.state, this.word, this.found?.marks));
    fit(document.querySelector(".stage"));
  }

  draw() {
    if (this.isLeft) return;
    const { state } = this;
    Object.assign(document.body.dataset, { game: state.game, mode: state.mode, day: state.day ?? "", verdict: state.is_open ? "" : state.verdict ?? "late" });
    const parts = state.is_open
      ? [h("section", { class: "game", "aria-label": "Game" }, h("div", { class: "stage" }, board(state, this.word, this.found?.marks)), ...this.controls())]
      : review(state, state.mode === "solo" ? this.again : null);
    if (this.found && state.is_open) parts.push(hints(this.found, () => this.showHints(false)));
    if (state.mode === "friends") parts.splice(state.review ? 1 : parts.length, 0, friends(state));
    show(...parts, help(state));
    document.body.dataset.view = state.is_open ? "game" : "end";
    document.getElementById("title").append(h("h1", {}, state.title + (state.day ? `, ${state.day}` : "")),
      h("button", { type: "button", popovertarget: "rules", "aria-label": "How to play", id: "help" }, h("span", {}, "?")));
    this.sizes.disconnect();
    const stage = document.querySelector(".stage");
    if (stage) {
      fit(stage);
      this.sizes.observe(stage);
    }
    window.scrollTo({ top: 0 });
    if (state.mode === "daily" && state.has_epsilon && !state.is_open) this.showDay();
  }

  /** Add the ranking of the day, which only those see who have finished. */
  async showDay() {
    const found = await request(dayPath(this.state.game, this.state.day), { token: this.own.token });
    if (!this.isLeft) document.getElementById("review").after(dayPanel(found, this.own.token));
  }

  controls() {
    const isNoisy = this.state.has_epsilon;
    const parts = [];
    if (isNoisy) parts.push(slider(this.epsilon, this.state, (epsilon) => { this.epsilon = epsilon; this.keep(); }));
    const buttons = [button("Hint", () => this.hint(), { id: "hint" })];
    if (isNoisy) {
      buttons.unshift(
        button("Guess", () => this.move(false), { id: "guess", class: "main" }),
        button("Answer", () => this.move(true), { id: "answer", "aria-label": "Answer, which ends the game", title: "Ends the game (Shift+Enter)" }),
      );
    }
    buttons.push(button("Give up", () => this.giveUp(), { id: "give-up" }));
    parts.push(keyboard(this.state, this.found?.letters, (key) => this.press(key)), h("div", { class: "buttons" }, ...buttons));
    return parts;
  }

  giveUp() {
    if (confirm("Give up and end the game?")) this.send("api/game/end", {});
  }
}
