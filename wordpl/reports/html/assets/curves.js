// The cursor of a chart, which reads the share of games that each entry won within a budget, and its lines, one of
// which a pointer or the focus brings to the front.

function curveReader(figure, board) {
  const chart = figure.querySelector("svg.chart");
  const slider = figure.querySelector("input.reader");
  const line = chart.querySelector("line.reader");
  const [left, right, most] = ["left", "right", "max"].map((name) => Number(chart.dataset[name]));
  const scale = (right - left) / most;
  const items = [...figure.querySelectorAll("ul.legend li")];
  let sorted = null;
  const parts = (at) => [...chart.querySelectorAll(`g[data-line="${at}"]`), items[at]];

  function bringForward(at) {
    chart.classList.toggle("chosen", at !== null);
    figure.querySelectorAll(".front").forEach((one) => one.classList.remove("front"));
    if (at === null) return;
    parts(at).forEach((one) => one.classList.add("front"));
    const drawn = chart.querySelector(`g.line[data-line="${at}"]`);
    drawn.parentNode.insertBefore(drawn, chart.querySelector("g.label"));
  }

  const buttons = items.map((item, at) => {
    const button = make("button", { type: "button", tabindex: at ? -1 : 0, onfocus: () => bringForward(at), onblur: () => bringForward(null) });
    button.append(...item.childNodes, make("b", {}));
    item.append(button);
    return button;
  });
  items.forEach((_, at) =>
    parts(at).forEach((one) => {
      one.addEventListener("pointerenter", () => bringForward(at));
      one.addEventListener("pointerleave", () => bringForward(null));
    }),
  );
  arrowKeys(figure.querySelector("ul.legend"), buttons, (to) => {
    buttons.forEach((button, at) => (button.tabIndex = at === to ? 0 : -1));
    buttons[to].focus();
  });

  function show() {
    const budget = (most * slider.value) / 1000;
    line.setAttribute("visibility", "visible");
    for (const end of ["x1", "x2"]) line.setAttribute(end, left + budget * scale);
    figure.querySelector("output").textContent = shortNumber(budget);
    board.entries.forEach((entry, at) => {
      const most = budget * (1 + 1e-9);
      const n = sorted ? countWithin(sorted[at], most) : countWon(entry, most);
      if (buttons[at]) buttons[at].querySelector("b").textContent = ` ${percent(n / entry.n)}`;
    });
  }

  function move() {
    sorted ||= board.entries.map(wonCosts); // not before it is needed: it takes as long as all else
    show();
  }

  slider.addEventListener("input", move);
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    slider.value = Math.max(0, Math.min(1000, ((x - left) / scale / most) * 1000));
    move();
  });
  slider.value = 500;
  show();
}

/** Return the costs of the games that an entry won, in ascending order. */
function wonCosts(entry) {
  const costs = [];
  for (let at = 0; at < entry.n; at++) if (entry.won(at)) costs.push(entry.cost(at));
  return Float64Array.from(costs).sort();
}

/** Return how many games an entry won within a budget. */
function countWon(entry, budget) {
  let n = 0;
  for (let at = 0; at < entry.n; at++) n += entry.won(at) && entry.cost(at) <= budget;
  return n;
}

function countWithin(costs, budget) {
  let [low, high] = [0, costs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (costs[middle] <= budget) low = middle + 1;
    else high = middle;
  }
  return low;
}
