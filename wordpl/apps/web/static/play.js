// A game that is being played: handles input, sends moves, and shows the state.

import { request } from "./api.js";
import { board, fit, percent, tile } from "./board.js";
import { dayPanel, dayPath } from "./day.js";
import { button, h, say, show, speak } from "./dom.js";
import { friends } from "./friends.js";
import { ALL, hints, hintSteps, hintText } from "./hints.js";
import { keyboard, keyOf } from "./keyboard.js";
import { keepProbability, offered, prices, spentText } from "./price.js";
import { outcome, review, showWorths } from "./review.js";
import { draft, endGame, lesson, tabs } from "./storage.js";

const POLL_MS = 3000;
const HINT_TIMEOUT_MS = 70000;
const FIRST_EPSILON = 8;
const MARKS = [["c", "the letter is in this place"], ["i", "the letter is in another place"], [".", "the letter is not in the word"]];
const SAID = { c: "right place", i: "elsewhere", ".": "not in the word" };

/** Return the rules of the game, which the button beside its title opens. */
function help(state) {
  const marks = MARKS.map(([mark, meaning]) => h("p", { class: "row" }, tile("a", mark), meaning));
  const paragraphs = state.rules.split("\n\n");
  const rules = state.is_randomized ? [paragraphs[0], ...noisyRules(state)] : paragraphs;
  if (state.has_epsilon) rules.push("Answer when you are sure, with Shift+Enter or the button: that costs nothing and ends the game.");
  if (!state.is_exact) rules.push("The percentage beside a row says how many of its marks are true on average.");
  return h("section", { id: "rules", popover: "auto", class: "panel", "aria-label": "How to play" },
    h("div", { class: "head" }, h("h2", {}, "How to play"),
      h("button", { type: "button", popovertarget: "rules", popovertargetaction: "hide" }, "Close")),
    ...marks, ...rules.map((text) => h("p", {}, text)));
}

/** Return the rules of randomized response in words. */
function noisyRules(state) {
  const levels = offered(state.length).map((price) => `at ${price}, ${percent(keepProbability(price, state.length))} of them`);
  return [
    `You choose the price of each guess, ε. The more you pay, the more of its marks are true: ${levels.join("; ")}. A false mark shows one of the two other colours.`,
    "What you pay adds up to your budget. Find the word with the smallest budget.",
  ];
}

/** Return what a beginner is told at this move of a noisy game; null later, and once it has been read. */
function coach(state, done) {
  const sure = percent(keepProbability(offered(state.length)[1], state.length));
  const lessons = [
    `Each guess has a price. For ${offered(state.length)[1]}, ${sure} of its marks are true: the others lie, and you do not see which.`,
    "Marks may contradict each other. Guess again, even the same word: each clue is drawn anew, and what you pay adds up.",
    "Once you think that you know the word, type it and choose Answer: that is free, and ends the game.",
  ];
  const text = state.is_randomized && !lesson.isOver() ? lessons[state.rows.length] : null;
  if (!text) return null;
  return h("aside", { id: "coach" }, h("p", {}, `${state.rows.length + 1} of ${lessons.length}: ${text}`),
    h("button", { type: "button", onclick: done }, "Got it"));
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
    Object.assign(this, { own, state, again, word, epsilon, isBusy: false, isLeft: false, keys: [] });
    this.forgetHints();
    if (!state.is_open) endGame(own.id, state);
  }

  typed(event) {
    const key = keyOf(event);
    if (!key) return;
    event.preventDefault();
    this.press(key);
  }

  press(key) {
    if (!this.state.is_open) return;
    if (this.isBusy) this.keys.push(key); // until the move before has been answered
    else if (key === "Enter" || key === "Answer") this.move(key === "Answer");
    else {
      say("");
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
    this.forgetHints();
    if (state.rows.length > 2 || !state.is_open) lesson.end();
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
    if (!isShort) this.forgetHints();
    if (!state.is_open) endGame(this.own.id, state);
    const panel = document.getElementById("friends");
    if (isShort && panel && !state.review) panel.replaceWith(friends(state));
    else this.draw();
  }

  forgetHints() {
    Object.assign(this, { found: null, step: 0, isHinting: false, isOpen: false });
  }

  /** Show a step of the hints, which are computed once for each move, while the player may go on typing. */
  async hint(step) {
    this.step = step;
    if (this.isHinting) return;
    const { round } = this.state;
    try {
      if (!this.found) {
        this.isHinting = true;
        this.sayHint("Computing: go on typing. The first hint after a start of the server can take a minute.");
        const found = await request("api/game/hint", { token: this.own.token, timeoutMs: HINT_TIMEOUT_MS });
        if (this.isLeft || this.state.round !== round) return;
        Object.assign(this, { found, isHinting: false });
      }
    } catch (error) {
      this.isHinting = false;
      this.sayHint(error.message);
      return;
    }
    this.draw();
    if (this.step === ALL) speak(this.found.lines.join(" "));
  }

  sayHint(text) {
    const line = document.getElementById("hint-text");
    if (line) line.textContent = text;
  }

  /** The hints as far as the player has asked for them all: then keys and tiles show them too, until the next move. */
  get shown() {
    return this.step === ALL ? this.found : null;
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    document.body.toggleAttribute("data-busy", isBusy);
    if (!isBusy) this.keys.splice(0).forEach((key) => this.press(key));
  }

  drawBoard() {
    document.getElementById("board").replaceWith(board(this.state, this.word, this.shown?.marks));
    fit(document.querySelector(".stage"));
  }

  draw() {
    if (this.isLeft) return;
    const { state } = this;
    Object.assign(document.body.dataset, { game: state.game, mode: state.mode, day: state.day ?? "", verdict: state.is_open ? "" : state.verdict ?? "late" });
    const parts = state.is_open
      ? [h("section", { class: "game", "aria-label": "Game" }, coach(state, () => { lesson.end(); this.draw(); }),
        h("div", { class: "stage" }, board(state, this.word, this.shown?.marks)), ...this.controls())]
      : review(state, state.mode === "solo" ? this.again : null);
    if (state.mode === "friends") parts.splice(state.review ? 1 : parts.length, 0, friends(state));
    show(...parts, help(state));
    if (state.is_open && this.found && this.step < ALL) this.sayHint(hintText(this.found, this.step, state.is_exact));
    document.body.dataset.view = state.is_open ? "game" : "end";
    document.getElementById("title").append(h("h1", {}, state.title + (state.day ? `, ${state.day}` : "")),
      h("button", { type: "button", popovertarget: "rules", "aria-label": "How to play", id: "help" }, h("span", {}, "?")),
      state.has_epsilon && state.is_open ? h("span", { id: "spent" }, `${spentText(state.spent)} spent`) : "");
    this.sizes.disconnect();
    const stage = document.querySelector(".stage");
    if (stage) {
      fit(stage);
      this.sizes.observe(stage);
    }
    window.scrollTo({ top: 0 });
    if (state.mode === "daily" && state.has_epsilon && !state.is_open) this.showDay();
    if (state.review && state.rows.length) {
      this.judged ||= request("api/game/review", { token: this.own.token, timeoutMs: HINT_TIMEOUT_MS });
      showWorths(this.judged).catch(() => { this.judged = null; }); // without it, the page shows the rest of the review
    }
  }

  /** Add the ranking of the day, which only those see who have finished. */
  async showDay() {
    const found = await request(dayPath(this.state.game, this.state.day), { token: this.own.token });
    if (!this.isLeft) document.getElementById("review").after(dayPanel(found, this.own.token));
  }

  controls() {
    const isNoisy = this.state.has_epsilon;
    const parts = [];
    const panel = this.shown ? hints(this.shown, () => document.getElementById("hints").toggleAttribute("hidden", true)) : null;
    if (isNoisy) parts.push(prices(this.epsilon, this.state, (epsilon) => { this.epsilon = epsilon; this.keep(); }));
    const buttons = [];
    if (isNoisy) {
      buttons.push(
        button("Guess", () => this.move(false), { id: "guess", class: "main" }),
        button("Answer", () => this.move(true), { id: "answer", "aria-label": "Answer, which ends the game", title: "Ends the game (Shift+Enter)" }),
      );
    }
    const isShort = matchMedia("(max-height: 40rem)").matches; // no room for a line of hints that nobody has asked for
    if (isShort) buttons.push(button("Hint", () => { this.isOpen = !this.isOpen; this.draw(); }, { id: "hint" }));
    buttons.push(button("Give up", () => this.giveUp(), { id: "give-up" }));
    parts.push(isShort && !this.isOpen ? null : hintSteps((step) => this.hint(step)), panel, keyboard(this.state, this.shown?.letters, (key) => this.press(key)), h("div", { class: "buttons" }, ...buttons));
    return parts;
  }

  giveUp() {
    if (confirm("Give up and end the game?")) this.send("api/game/end", {});
  }
}
