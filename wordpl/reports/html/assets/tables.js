// Sorts tables by a click or the Enter key on a column head: the best values first, where a column has any.

function sortable(table) {
  const heads = [...table.querySelectorAll("thead th")];
  heads.forEach((head, column) => {
    const button = make("button", { type: "button", class: "sort", title: head.title || null, onclick: () => sortBy(table, heads, column) });
    const name = head.querySelector(".of");
    button.append(...(name ? [name] : head.childNodes));
    head.prepend(button);
  });
}

function sortBy(table, heads, column) {
  const head = heads[column];
  const turned = { ascending: "descending", descending: "ascending" };
  const order = turned[head.getAttribute("aria-sort")] || head.dataset.first || "ascending";
  const body = table.tBodies[0];
  body.querySelectorAll("tr.details").forEach((row) => row.previousElementSibling.querySelector(".open").click());
  const rows = [...body.rows].map((row, at) => [sortKey(row.cells[column]), at, row]);
  const sign = order === "ascending" ? 1 : -1;
  rows.sort(([a, i], [b, j]) => (a === null) - (b === null) || sign * compareKeys(a, b) || i - j);
  body.append(...rows.map(([, , row]) => row));
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", order);
}

/** Return the key of a cell: a number, a text, or null for a missing value, which is last in both orders. */
function sortKey(cell) {
  const text = cell.dataset.s === undefined ? cell.textContent.trim() : cell.dataset.s;
  if (text === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
