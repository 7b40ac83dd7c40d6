// A tournament: joining, playing against the clock, live standings, and the buttons of the host.

import { request } from "./api.js";
import { board, fit } from "./board.js";
import { button, copy, h, say, show } from "./dom.js";
import { GameReviewPanel } from "./game_review.js";
import { keyboard, keyOf } from "./keyboard.js";

const POLL_MS = 2000;
const TICK_MS = 250;
const ROOMS = "wordpl.rooms";
const PHASES = {
  created: "The host has not opened the tournament yet.",
  open: "Players can join. The host starts the tournament.",
  playing: "The tournament is in progress.",
  ended: "The tournament has ended.",
};
const NEXT = { created: [["open", "Open to players"]], open: [["playing", "Start"], ["ended", "End"]], playing: [["ended", "End"]], ended: [] };

const kept = {}; // for a browser that refuses storage: as long as the page is open

function tokens() {
  try {
    return { ...kept, ...JSON.parse(localStorage.getItem(ROOMS)) };
  } catch {
    return kept;
  }
}

/** Store the token of a room, which its links carry in the fragment: browsers never send that to a server. */
export function keepToken(room, token) {
  kept[room] = token;
  try {
    localStorage.setItem(ROOMS, JSON.stringify({ ...tokens(), [room]: token }));
  } catch {
    // The storage is full or disabled: after a reload, the link must be opened again.
  }
}

/** Return minutes and seconds. */
function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function amount(n, what) {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/** Return the class of a column of the standings: numbers, and those that a narrow window leaves out. */
const kind = (i) => `${i === 1 || i === 7 ? "" : "n"}${[3, 4, 6].includes(i) ? " wide" : ""}`;
const rounded = (number) => String(+number.toFixed(1));

/** Show a tournament, and return a function that leaves it. */
export async function openRoom(id, isCurrent) {
  const room = new Room(id);
  await room.poll();
  if (!isCurrent()) return () => {};
  const onkey = (event) => room.typed(event);
  document.addEventListener("keydown", onkey);
  const timers = [setInterval(() => document.hidden || room.poll().catch(() => {}), POLL_MS), setInterval(() => room.tick(), TICK_MS)];
  room.draw();
  return () => {
    document.removeEventListener("keydown", onkey);
    timers.forEach(clearInterval);
    room.sizes.disconnect();
    room.isLeft = true;
    document.body.dataset.mode = "";
  };
}

class Room {
  constructor(id) {
    Object.assign(this, { id, token: tokens()[id], word: "", sizes: new ResizeObserver((found) => found.forEach((one) => fit(one.target))), isBusy: false, isLeft: false, shown: "" });
  }

  get path() {
    return `api/rooms/${encodeURIComponent(this.id)}`;
  }

  get current() {
    return this.state.you?.current;
  }

  /** Fetch the state, and draw what has changed. */
  async poll() {
    if (this.isBusy) return;
    const { n_taken } = this;
    const state = await request(this.path, { token: this.token });
    if (!this.isBusy && n_taken === this.n_taken) this.take(state);
  }

  take(state) {
    const before = this.state;
    Object.assign(this, { state, received: performance.now(), n_taken: (this.n_taken ?? 0) + 1 });
    if (this.isLeft || !before) return;
    const ended = state.you?.finished.slice(before.you?.finished.length ?? 0) ?? [];
    this.draw();
    if (ended.length && before.you) say(this.verdict(ended.at(-1)));
  }

  verdict(puzzle) {
    const { ending, n_guesses, points, micro } = puzzle;
    const earned = `${rounded(points)} points, ${rounded(micro)} micro points`;
    if (ending === "solved") return `Solved in ${amount(n_guesses, "guess").replace("guesss", "guesses")}: ${earned}.`;
    const next = this.current ? ` Round ${this.current.round} has a new time bank.` : "";
    return `${ending === "out of time" ? "Out of time" : "Not solved"}: ${earned}. Your round ${puzzle.round_number} is over.${next}`;
  }

  async send(path, body) {
    this.isBusy = true;
    document.body.toggleAttribute("data-busy", true);
    try {
      const reply = await request(`${this.path}/${path}`, { body, token: this.token });
      if (reply.token) {
        this.token = reply.token;
        keepToken(this.id, reply.token);
      }
      this.word = "";
      this.take(reply.state ?? reply);
    } catch (error) {
      say(error.message, true, error.status);
      this.isStale = error.status === 409 || error.status === 410;
    } finally {
      this.isBusy = false;
      document.body.toggleAttribute("data-busy", false);
    }
    if (this.isStale) {
      Object.assign(this, { isStale: false, word: "" });
      await this.poll().catch(() => {});
    }
  }

  typed(event) {
    const key = this.current ? keyOf(event) : "";
    if (!key) return;
    event.preventDefault();
    this.press(key);
  }

  press(key) {
    if (this.isBusy || !this.current) return;
    if (key === "Enter" || key === "Answer") {
      if (this.word.length !== this.state.length) return say(`A guess has ${this.state.length} letters.`, true);
      const { round, puzzle } = this.current;
      return void this.send("guesses", { round, puzzle, number: this.state.you.number, word: this.word });
    }
    say("");
    this.word = key === "Backspace" ? this.word.slice(0, -1) : (this.word + key).slice(0, this.state.length);
    document.getElementById("board").replaceWith(this.board());
    fit(document.querySelector(".stage"));
  }

  board() {
    return board({ rows: this.current.rows, is_open: true, is_exact: true, length: this.state.length, limit: this.state.limit }, this.word);
  }

  /** Show the running time, and fetch the state when a clock has run out. */
  tick() {
    const line = document.getElementById("clock");
    if (!line || this.isLeft) return;
    const passed = (performance.now() - this.received) / 1000;
    const wait = (this.current?.clock_starts_in_s ?? this.state.starts_in_s) - passed;
    const left = this.current ? this.current.bank_s + Math.min(0, wait) : 0;
    const until = clock(Math.max(0, wait) + 0.999);
    let text = wait > 0 ? `begins in ${until}` : "";
    if (this.current) text = wait > 0 ? `${clock(left)} · runs from your first guess${this.state.break_s === null ? "" : `, or in ${until}`}` : clock(left);
    if (line.textContent !== text) line.textContent = text;
    line.dataset.running = String(Boolean(this.current) && wait <= 0);
    const isDue = this.current ? left <= 0 : wait <= 0 && this.state.phase === "open";
    if (isDue && passed > 1) this.poll().catch(() => {});
  }

  draw() {
    if (this.isLeft) return;
    const { state, current } = this;
    Object.assign(document.body.dataset, { phase: state.phase, mode: "room" });
    // Drawing again would lose what somebody is typing into a field.
    const shown = JSON.stringify([state.phase, state.is_host, current && [current.round, current.puzzle, current.rows], state.you?.name, state.you?.finished.length, state.rulings]);
    if (shown === this.shown && document.getElementById("standings")) {
      document.getElementById("standings").replaceWith(this.standings());
      return;
    }
    this.shown = shown;
    const main = current ? this.play() : this.lobby();
    const parts = [...main, this.standings(), this.rulings() || null, this.everything(), state.secrets && state.you?.finished.length && this.reviews(), state.secrets && this.solution(), this.about()];
    show(h("div", { class: "room", "data-playing": String(Boolean(current)) }, ...parts));
    document.body.dataset.view = current ? "game" : "";
    this.tick();
    this.sizes.disconnect();
    if (current) {
      this.sizes.observe(document.querySelector(".stage"));
      scrollTo({ top: 0 });
    }
  }

  play() {
    const { state, current } = this;
    const place = `Round ${current.round} of ${state.rounds}, puzzle ${current.puzzle}${state.puzzles > 1 ? ` of ${state.puzzles}` : ""}`;
    return [h("section", { class: "game", "aria-label": "Game" },
      h("div", { class: "clocks" }, h("h1", {}, place), h("span", { id: "clock", role: "timer" })), h("div", { class: "stage" }, this.board()),
      keyboard({ rows: current.rows, is_exact: true }, undefined, (key) => this.press(key)))];
  }

  lobby() {
    const { state } = this;
    const parts = [h("h1", {}, state.title), h("p", { class: "about" }, `${PHASES[state.phase]} `, h("span", { id: "clock", role: "timer" }))];
    if (state.you) {
      const wait = state.phase === "playing" ? "You have finished all rounds. The standings change until the tournament ends." : "";
      parts.push(h("p", {}, `You are ${state.you.name}. ${state.phase === "open" ? "You have joined; this page shows the first puzzle when the tournament starts." : wait}`));
    } else if (state.is_host) parts.push(this.host());
    else if (state.by_invitation && state.phase !== "ended") parts.push(h("p", {}, "This tournament is by invitation: open the personal link that the host gave you."));
    else if (state.phase === "open") parts.push(this.entrance());
    else if (state.phase === "playing") parts.push(h("p", {}, "Play has begun: nobody can join any more. You can watch."));
    return parts;
  }

  entrance() {
    const name = h("input", { id: "name", name: "name", maxlength: 24, autocomplete: "nickname", required: true });
    const form = h("form", {}, h("label", { for: "name" }, "Your name", name), h("button", { type: "submit", id: "join", class: "main" }, "Join"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send("players", { name: name.value });
    });
    return form;
  }

  host() {
    const { phase, starts_in_s } = this.state;
    const steps = NEXT[phase].filter(([next]) => next !== "playing" || starts_in_s === null);
    const buttons = steps.map(([next, label]) =>
      button(label, () => (next === "ended" && !confirm("End the tournament for all players?")) || this.send("phase", { phase: next }), { id: `phase-${next}`, class: next === "ended" ? "" : "main" }));
    const link = new URL(`#/room/${this.id}`, location.href.split("#")[0]).href;
    const send = button("Copy the link for players", () => copy(link, send));
    return h("section", { class: "panel", "aria-label": "Host" }, h("h2", {}, "You are the host"), h("p", {}, "Players join at ", h("code", { class: "link" }, link)), ...buttons, send);
  }

  /** Return the player's puzzles, whose guesses are judged one puzzle at a time when the player asks for it. */
  reviews() {
    const { you, secrets, puzzles } = this.state;
    const shown = h("div", { id: "judged" });
    const open = async (number, chosen) => {
      try {
        const { review } = await request(`${this.path}/reviews/${number}`, { token: this.token });
        if (review) shown.replaceChildren(new GameReviewPanel([{ label: you.name, review }]).root);
        chosen.parentNode.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));
      } catch (error) {
        say(error.message, true, error.status);
      }
    };
    const buttons = you.finished.filter((puzzle) => puzzle.n_guesses).map((puzzle) => {
      const number = (puzzle.round_number - 1) * puzzles + puzzle.number - 1;
      return h("button", { type: "button", "aria-pressed": "false", onclick: (event) => open(number, event.currentTarget) }, `${puzzle.round_number}.${puzzle.number} ${secrets[number].toUpperCase()}`);
    });
    return h("section", { class: "panel", id: "reviews" }, h("h2", {}, "Your puzzles: what your guesses were worth"), h("div", { class: "buttons" }, ...buttons), shown);
  }

  solution() {
    const { secrets, puzzles, seed } = this.state;
    const rounds = Array.from({ length: this.state.rounds }, (_, i) => h("li", {}, secrets.slice(i * puzzles, (i + 1) * puzzles).join(" ").toUpperCase()));
    return h("section", { class: "panel", id: "solution" }, h("h2", {}, "Words by round"), h("ol", {}, ...rounds),
      h("p", {}, "Seed: ", h("code", { class: "link" }, seed)), h("p", {}, h("a", { href: `${this.path}/result`, download: "tournament.json" }, "Download the tournament"), ", which wordpl tournament rank checks."));
  }

  standings() {
    const { phase, version, you } = this.state;
    const heads = ["#", "Player", "Total", "Points", "Micro", "Solved", "Time", phase === "ended" ? "Last puzzle" : "At"];
    const rows = this.state.standings.map((line) => {
      const at = line.at ? `${line.at.round}.${line.at.puzzle}${line.at.is_running ? "" : ", break"}` : line.ending;
      const isOwn = line.player === you?.name;
      const cells = [...[line.total, line.points, line.micro].map(rounded), String(line.n_solved), clock(line.used_s), at];
      return h("tr", { class: isOwn ? "own" : "" }, h("td", { class: "n" }, String(line.place)), h("th", { scope: "row" }, line.player + (isOwn ? " (you)" : "")),
        ...cells.map((text, i) => h("td", { class: kind(i + 2) }, text)));
    });
    return h("section", { class: "panel", id: "standings", "data-version": version },
      h("h2", {}, phase === "ended" ? "Standings" : `Standings, ${amount(rows.length, "player")}`),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Standings" },
        h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((text, i) => h("th", { scope: "col", class: kind(i) }, text)))), h("tbody", {}, ...rows))));
  }

  /** Return what the host has decided, with the reasons. */
  rulings() {
    const { rulings } = this.state;
    return rulings.length && h("section", { class: "panel", id: "rulings" }, h("h2", {}, "Decisions of the host"), h("ul", {}, ...rulings.map((text) => h("li", {}, text))));
  }

  /** Return everybody's result in every puzzle. */
  everything() {
    const { board: players, secrets, puzzles } = this.state;
    if (!players) return null;
    const cell = (puzzle) => {
      if (!puzzle) return "";
      if (puzzle.is_struck) return "struck";
      const ending = { solved: puzzle.n_guesses, "not solved": "X", "out of time": "late", "not finished": "…" }[puzzle.ending];
      return `${ending} · ${rounded(puzzle.points + puzzle.micro)}`;
    };
    const found = ({ puzzles: own }, i) => own.find((one) => (one.round_number - 1) * puzzles + one.number - 1 === i);
    const rows = secrets.map((secret, i) => [secret, i]).filter(([, i]) => players.some((player) => found(player, i))).map(([secret, i]) =>
      h("tr", {}, h("th", { scope: "row" }, `${Math.floor(i / puzzles) + 1}.${(i % puzzles) + 1} ${secret.toUpperCase()}`),
        ...players.map((player) => h("td", { class: "n" }, cell(found(player, i))))));
    return h("section", { class: "panel", id: "everything" }, h("h2", {}, "Every puzzle: guesses · points"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Every puzzle" },
        h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Puzzle"), ...players.map(({ player, is_struck }) => h("th", { scope: "col", class: "n" }, player + (is_struck ? " (struck)" : ""))))), h("tbody", {}, ...rows))));
  }

  about() {
    const { state } = this;
    const awards = state.awards.map((points) => rounded(points)).join(", ");
    const link = new URL(`#/room/${this.id}/${this.token}`, location.href.split("#")[0]).href;
    const move = state.you && button("Copy your personal link", () => copy(link, move), { id: "personal" });
    const ends = state.ends_in_s !== null && state.phase !== "ended" ? ` It ends at ${new Date(Date.now() + state.ends_in_s * 1000).toLocaleString()}.` : "";
    return h("section", { class: "panel", "aria-label": "Rules" }, h("h2", {}, "Rules"),
      h("p", {}, `${amount(state.rounds, "round")} of ${amount(state.puzzles, "puzzle")}, the same for all. Each round has a time bank of ${clock(state.bank_s)}.${ends}`),
      h("p", {}, `The clock runs from the first guess of a puzzle until it is solved, also while you are away. ${state.break_s === null ? "A break lasts as long as you like." : `A break lasts at most ${clock(state.break_s)}; then the clock runs.`} A puzzle that is not solved ends the round for you.`),
      h("p", {}, `Points for 1 to ${state.limit} guesses: ${awards}. Micro points for what each guess reveals are added.`),
      h("p", {}, "Commitment to the words: ", h("code", { class: "link" }, state.commitment)),
      move && h("p", {}, "Whoever has your personal link continues in your place, for example on another device. ", move));
  }
}
