// What a reader has chosen: the score, two entries, the budget and the game. All of it is in the address, so that it is
// kept on reload and can be linked to; the tabs of a board are linked with each other.

/** The parts of the address after #: the section, if one was followed, and named values such as score=p50. */
const address = {
  read() {
    const parts = window.location.hash.slice(1).split("&").filter(Boolean).map((part) => part.split("=").map(decodeURIComponent));
    return new Map(parts.map(([name, value]) => [name, value === undefined ? null : value]));
  },

  /** Change named values; null removes one. */
  write(changes) {
    const state = address.read();
    for (const [name, value] of Object.entries(changes)) value === null ? state.delete(name) : state.set(name, String(value));
    const parts = [...state].map(([name, value]) => (value === null ? name : `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`));
    history.replaceState(null, "", `#${parts.join("&")}`);
  },

  /** Name the section that a reader follows a link to. */
  go(section) {
    const rest = [...address.read()].filter(([, value]) => value !== null);
    history.replaceState(null, "", `#${section}`);
    address.write(Object.fromEntries(rest));
  },
};

/** Return the name of a value of a board in the address: that of the first one has no suffix. */
function nameOf(value, board) {
  return !board || board === "b1" ? value : `${value}-${board}`;
}

const MAX_CHOSEN = 2;
const MIN_SEARCHED = 9;

/** The entries of a board that a reader has chosen, in all of its rankings, charts and comparisons. */
class Choice {
  constructor(board, changed) {
    Object.assign(this, { board, changed, numbers: [] });
    this.parts = [...document.querySelectorAll(`[data-board="${board}"]`)];
    this.root = this.parts.find((part) => part.classList.contains("rankings"));
    if (!this.root) return;
    this.result = make("div", { class: "compare", hidden: true, role: "status" });
    this.root.after(this.result);
    const rows = [...this.root.querySelector(".panel").querySelectorAll("tbody tr[data-number]")];
    this.labels = new Map(rows.map((row) => [row.dataset.number, row.querySelector("th").textContent.trim()]));
    this.names = new Map(rows.map((row) => [row.dataset.number, row.dataset.entry]));
    if (rows.length >= MIN_SEARCHED) this.addSearch(rows.length);
    this.root.addEventListener("change", (event) => {
      if (event.target.matches("input.pick")) this.turn(event.target.closest("tr").dataset.number, event.target.checked);
    });
  }

  addSearch(n) {
    const found = make("output", { class: "note" });
    const field = make("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "name", oninput: () => {
      const wanted = field.value.trim().toLowerCase();
      const fits = new Set([...this.names].filter(([number, name]) => `${name} ${this.labels.get(number)}`.toLowerCase().includes(wanted)).map(([number]) => number));
      this.root.querySelectorAll("tbody tr.details").forEach((row) => row.previousElementSibling.querySelector(".open").click());
      this.root.querySelectorAll("tbody tr[data-number]").forEach((row) => (row.hidden = !fits.has(row.dataset.number)));
      found.textContent = wanted ? `${fits.size} of ${n}` : "";
    } });
    this.root.before(make("div", { class: "filters search" }, make("label", {}, "Search entries ", field), found));
  }

  /** Choose an entry or let it go; of three chosen ones, the first is let go. */
  turn(number, isOn) {
    this.choose([...this.numbers.filter((one) => one !== number), ...(isOn ? [number] : [])].slice(-MAX_CHOSEN));
    address.write({ [nameOf("pair", this.board)]: this.numbers.join(",") || null });
    if (this.numbers.length === MAX_CHOSEN) this.changed(this.numbers.map((one) => this.names.get(one)));
  }

  choose(numbers) {
    if (!this.root) return;
    this.numbers = numbers.filter((number) => this.names.has(number));
    for (const part of this.parts) {
      part.querySelectorAll(".chosen").forEach((one) => one.classList.remove("chosen"));
      for (const number of this.numbers) part.querySelectorAll(`[data-number="${number}"]`).forEach((one) => one.classList.add("chosen"));
      part.querySelectorAll("svg.chart").forEach(placeLabels);
    }
    this.root.querySelectorAll("input.pick").forEach((one) => (one.checked = this.numbers.includes(one.closest("tr").dataset.number)));
    this.compare();
  }

  /** Show the values of the two chosen entries in each score, with their difference as the head to head table has it. */
  compare() {
    this.result.hidden = this.numbers.length < MAX_CHOSEN;
    if (this.result.hidden) return this.result.replaceChildren();
    const [first, second] = this.numbers;
    const rows = [...this.root.querySelectorAll(":scope > .panel")].map((panel) => {
      const value = (number) => {
        const cell = panel.querySelector(`tr[data-number="${number}"] td.plot`);
        return (cell.querySelector("text") || cell.querySelector(".unreached")).textContent;
      };
      const [difference, told] = this.difference(panel.dataset.score, first, second);
      return make("tr", {}, make("th", { scope: "row" }, panel.dataset.tab), ...[value(first), value(second), difference, told].map((text) => make("td", {}, text)));
    });
    const label = (number) => [glyphOf(number), this.labels.get(number)];
    const head = ["score", label(first), label(second), "difference", "first compared with second"];
    const heads = head.map((content) => make("th", { scope: "col" }, ...[content].flat()));
    this.result.replaceChildren(make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "The two chosen entries" },
      make("table", {}, make("caption", {}, "The two chosen entries"), make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))));
    return undefined;
  }

  difference(score, first, second) {
    const table = this.parts.map((part) => part.querySelector(`:scope > .panel[data-score="${score}"] table.heat`)).find(Boolean);
    const at = table ? [...table.tHead.rows[0].cells].findIndex((head) => head.dataset.number === second) : -1;
    const row = table && table.querySelector(`tbody tr[data-number="${first}"]`);
    if (at < 0 || !row) return ["", "not compared in pairs on this page"];
    return [row.cells[at].textContent, row.cells[at].title];
  }
}

/** Choose the score that a tab names in all tabs of its board, and in the address. */
function chooseScore(board, score, isKept) {
  document.querySelectorAll(`.tabs[data-board="${board}"]`).forEach((root) => root.dispatchEvent(new CustomEvent("score", { detail: score })));
  if (isKept) address.write({ [nameOf("score", board)]: score });
}

/** Show what the address names; `changed` is called with the names of two entries that a reader chooses. */
function followAddress(changed) {
  const boards = [...new Set([...document.querySelectorAll("[data-board]")].map((one) => one.dataset.board))];
  const choices = boards.map((board) => new Choice(board, (names) => changed(names)));
  const apply = () => {
    const state = address.read();
    for (const choice of choices) {
      const [score, pair] = ["score", "pair"].map((value) => state.get(nameOf(value, choice.board)));
      if (score) chooseScore(choice.board, score, false);
      if (pair || choice.numbers.length) choice.choose((pair || "").split(","));
    }
    document.querySelectorAll("figure[data-curves]").forEach((one) => one.dispatchEvent(new CustomEvent("address")));
    const section = [...state].find(([, value]) => value === null);
    if (section && state.size > 1) document.getElementById(section[0])?.scrollIntoView();
  };
  window.addEventListener("hashchange", apply);
  apply();
}
