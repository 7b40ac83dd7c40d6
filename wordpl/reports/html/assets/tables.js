// Sorts tables by a click or the Enter key on a column head.

function sortable(table) {
  const heads = [...table.querySelectorAll("thead th")];
  heads.forEach((head, column) => {
    const button = make("button", { type: "button", class: "sort", title: head.title || null, onclick: () => sortBy(table, heads, column) });
    button.append(...head.childNodes);
    head.append(button);
  });
}

function sortBy(table, heads, column) {
  const ascending = heads[column].getAttribute("aria-sort") !== "ascending";
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, at) => [sortKey(row.cells[column]), at, row]);
  const sign = ascending ? 1 : -1;
  rows.sort(([a, i], [b, j]) => sign * compareKeys(a, b) || i - j);
  body.append(...rows.map(([, , row]) => row));
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
}

function sortKey(cell) {
  const text = cell.dataset.s === undefined ? cell.textContent.trim() : cell.dataset.s;
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text;
}

function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
