// The list of games, with filters, pages, and buttons that replay a game.

const PAGE = 50;

class GameBrowser {
  constructor(root, boards, replay) {
    Object.assign(this, { boards, replay, page: 0 });
    const entries = boards.flatMap((board, b) => board.entries.map((entry, e) => [`${b}.${e}`, `${entry.name} · ${board.title}`]));
    const again = () => this.filter();
    const [entryLabel, entrySelect] = select("Entry", entries, () => this.choose());
    const [verdictLabel, verdictSelect] = select("Verdict", [["", "any"]], again);
    const [secretLabel, secretField] = textField("Secret", { size: 8, placeholder: "s..e." }, again);
    const [patternLabel, patternField] = textField("First clue", { size: 8, placeholder: ".ic.." }, again);
    Object.assign(this, { entrySelect, verdictSelect, secretField, patternField });
    const help = make("p", { class: "note" }, "In a secret, a full stop stands for any letter; in a clue, '?' stands for any mark. A filter by clue only finds games whose moves this page contains.");
    this.count = make("p", { role: "status" });
    this.table = make("table", {}, make("caption", {}, "Games of the entry"), make("thead"), make("tbody"));
    this.pager = make("p", { class: "pager" });
    root.append(
      make("div", { class: "filters" }, entryLabel, verdictLabel, secretLabel, patternLabel), help, this.count,
      make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Games of the entry" }, this.table), this.pager,
    );
    this.choose();
  }

  get chosen() {
    const [b, e] = this.entrySelect.value.split(".").map(Number);
    return [this.boards[b], this.boards[b].entries[e]];
  }

  choose() {
    const [board, entry] = this.chosen;
    const counts = new Map();
    for (let at = 0; at < entry.n; at++) counts.set(entry.verdicts[at], (counts.get(entry.verdicts[at]) || 0) + 1);
    const before = this.verdictSelect.value;
    const options = [...counts].sort((a, b) => a[0] - b[0]).map(([code, n]) => make("option", { value: code }, `${entry.verdictNames[code]} (${n.toLocaleString("en-US")})`));
    this.verdictSelect.replaceChildren(make("option", { value: "" }, "any"), ...options);
    if ([...this.verdictSelect.options].some((option) => option.value === before)) this.verdictSelect.value = before;
    this.secretField.disabled = !board.hasSecret;
    this.filter();
  }

  filter() {
    const [board, entry] = this.chosen;
    const verdict = this.verdictSelect.value === "" ? null : Number(this.verdictSelect.value);
    const secret = this.secretField.value.toLowerCase().replace(/[^a-z.]/g, "");
    const clue = this.patternField.value.toLowerCase().replace(/[^.ic?]/g, "");
    const fits = board.answers.map((word) => matches(word, secret, "."));
    this.found = [];
    for (let at = 0; at < entry.n; at++) {
      if (verdict !== null && entry.verdicts[at] !== verdict) continue;
      if (secret && !fits[entry.secrets[entry.number(at)]]) continue;
      if (clue) {
        const moves = entry.moves(at);
        if (!moves || !moves.length || !matches(moves[0].clues, clue, "?")) continue;
      }
      this.found.push(at);
    }
    this.page = 0;
    this.show();
  }

  show() {
    const [board, entry] = this.chosen;
    const nPages = Math.max(1, Math.ceil(this.found.length / PAGE));
    this.count.textContent = `${this.found.length.toLocaleString("en-US")} of ${entry.n.toLocaleString("en-US")} games`;
    const heads = ["game", "secret", "verdict", ...(entry.noisy ? ["spent"] : []), entry.noisy ? "moves" : "guesses", "replay"];
    this.table.tHead.replaceChildren(make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head))));
    const rows = this.found.slice(this.page * PAGE, (this.page + 1) * PAGE).map((at) => this.row(board, entry, at));
    this.table.tBodies[0].replaceChildren(...rows);
    const step = (by) => () => {
      this.page = Math.min(nPages - 1, Math.max(0, this.page + by));
      this.show();
    };
    const button = (text, by, off) => make("button", { type: "button", disabled: off, onclick: step(by) }, text);
    this.pager.replaceChildren(
      button("First", -this.page, this.page === 0), button("Back", -1, this.page === 0),
      ` page ${this.page + 1} of ${nPages} `,
      button("Next", 1, this.page === nPages - 1), button("Last", nPages, this.page === nPages - 1),
    );
  }

  row(board, entry, at) {
    const number = entry.number(at);
    const open = make("button", { type: "button", onclick: () => this.replay.show(board, entry, number, true) }, `replay ${number}`);
    const values = [
      String(number), board.answers[entry.secrets[number]] || "–", entry.verdict(at),
      ...(entry.noisy ? [shortNumber(entry.cost(at))] : []), String(entry.lengths[at]),
    ];
    const last = entry.isKept(at) ? open : make("span", { class: "note" }, "not on the page");
    return make("tr", {}, ...values.map((value) => make("td", {}, value)), make("td", {}, last));
  }
}

/** Return whether a word starts with a pattern in which `any` stands for any character. */
function matches(word, pattern, any) {
  if (!word || pattern.length > word.length) return pattern === "";
  for (let at = 0; at < pattern.length; at++) if (pattern[at] !== any && pattern[at] !== word[at]) return false;
  return true;
}
