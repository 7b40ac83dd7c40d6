// What tests ask of a page of a run: each function returns sentences about what is wrong.

/** Numbers lie in their intervals, and verdicts, tooltips and mirrored pairs say the same. */
const numbers = () => {
  const number = (text) => Number(text.replaceAll("−", "-").replaceAll("∞", "Infinity").replace(/[+%,★<> ]/g, ""));
  const wrong = [];
  const inside = (value, low, high, where) => {
    if (!(number(low) <= number(value) && number(value) <= number(high))) wrong.push(`${where}: ${value} outside of ${low} to ${high}`);
  };
  for (const cell of document.querySelectorAll(".heat td[data-better]")) {
    const where = `${cell.closest("table").caption.textContent}, ${cell.closest("tr").cells[0].textContent}`;
    const [value, told, sign] = [cell.textContent, cell.title, Number(cell.dataset.better)];
    const meaning = { 1: "shown to be better", "-1": "shown to be worse", 0: "not told apart" }[sign];
    if (!told.startsWith(meaning)) wrong.push(`${where}: ${value} in its colour, ${told}`);
    const ends = told.match(/([+−]?[\d.,∞<]+%?) to ([+−]?[\d.,∞<]+%?)/);
    if (!ends) continue;
    const [, low, high] = ends;
    if (value !== "–") inside(value, low, high, where);
    if (sign === 0 && (number(low) > 0 || number(high) < 0)) wrong.push(`${where}: ${told}`);
    if (sign !== 0 && number(low) < 0 && number(high) > 0) wrong.push(`${where}: ${told}`);
    const mirror = cell.closest("tbody").rows[cell.cellIndex - 1].cells[cell.closest("tr").rowIndex];
    if (Number(mirror.dataset.better) !== -sign) wrong.push(`${where}: its mirror is ${mirror.title}`);
  }
  for (const cell of document.querySelectorAll("td.n")) {
    const ends = [...cell.querySelectorAll(":scope > small")].map((one) => one.textContent.match(/^([\d.,]+)–([\d.,∞]+)%?$/)).find(Boolean);
    if (ends) inside(cell.firstChild.textContent.split(" or ")[0], ends[1], ends[2], cell.closest("table").caption.textContent);
  }
  for (const text of document.querySelectorAll(".dots text")) {
    const ends = text.textContent.match(/^(\S+) \(([\d.,]+)–([\d.,∞]+)%?\)$/);
    if (ends) inside(ends[1], ends[2], ends[3], "a ranking");
  }
  return wrong;
};

/** Each card names the first row of its ranking with the same number. */
const cards = () => [...document.querySelectorAll(".card:has(.pill)")].flatMap((card) => {
  const row = document.querySelector(`.rankings .panel[data-score="${card.dataset.score}"] tbody tr`);
  const [leader, value] = [card.querySelector(".leader"), card.querySelector(".value")].map((one) => one.textContent.trim());
  const shown = (row.querySelector(".dots text, .unreached") || row).textContent;
  const isSame = row.querySelector("th").textContent.trim().endsWith(leader) && (value === "∞" || shown.startsWith(value));
  return isSame ? [] : [`the card says ${leader} ${value}, the first row ${row.textContent}`];
});

/** The slider of a chart reads what its table lists. */
const readings = () => [...document.querySelectorAll("figure[data-curves]")].flatMap((figure) => {
  const slider = figure.querySelector("input.reader"), table = figure.parentNode.querySelector("details table");
  const heads = [...table.tHead.rows[0].cells].slice(1);
  return heads.flatMap((head, at) => {
    const place = Number(head.textContent.replace(",", ""));
    if (place > Number(slider.max)) return [];
    slider.value = place + (slider.step === "1" ? 0 : 0.051);
    slider.dispatchEvent(new Event("input"));
    return [...figure.querySelectorAll("ul.legend li")].flatMap((item, row) => {
      const [read, listed] = [item.querySelector("b").textContent.trim(), table.tBodies[0].rows[row].cells[at + 1].firstChild.textContent];
      return read === listed ? [] : [`${item.textContent} at ${place}, the table ${listed}`];
    });
  });
});

/** No text lies over another one, and nothing leaves its cell or the page. */
const over = () => {
  const isShown = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== "hidden";
  const boxes = (root, selector) => [...root.querySelectorAll(selector)].filter(isShown).map((one) => [one, one.getBoundingClientRect()]);
  const wrong = [];
  const apart = (found, where) => found.forEach(([one, a], at) => found.slice(at + 1).forEach(([other, b]) => {
    const [wide, high] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (wide > 1 && high > 3) wrong.push(`${where}: ${one.textContent} over ${other.textContent}`);
  }));
  for (const chart of document.querySelectorAll("svg.chart")) apart(boxes(chart, ".tick, .label text"), "chart");
  for (const ticks of document.querySelectorAll("svg.ticks")) apart(boxes(ticks, "text"), "axis");
  for (const card of document.querySelectorAll(".card")) apart(boxes(card, "h3, .value, .pill, .leader, .why"), "card");
  for (const [cell, box] of boxes(document, "td, th")) {
    for (const [one, inner] of boxes(cell, "*")) {
      if (one.closest("svg") && one.tagName !== "svg" && one.tagName !== "text") continue; // it is cut at its drawing
      if (one.closest(".turned, .hidden")) continue;
      if (inner.width > 0 && (inner.right > box.right + 2 || inner.left < box.left - 2)) wrong.push(`${cell.textContent} leaves its cell`);
    }
  }
  const isPaper = window.matchMedia("print").matches; // which a wide table is scaled to fit
  if (!isPaper && document.documentElement.scrollWidth > window.innerWidth) wrong.push(`${document.documentElement.scrollWidth} wide`);
  return [...new Set(wrong)];
};

window.checks = { numbers, cards, readings, over };
