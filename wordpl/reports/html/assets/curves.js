// The slider of a chart, which shows the share of games that each entry won within a budget.

function curveReader(figure, board) {
  const chart = figure.querySelector("svg.chart");
  const slider = figure.querySelector("input.reader");
  const line = chart.querySelector("line.reader");
  const [left, scale, most] = ["left", "scale", "max"].map((name) => Number(chart.dataset[name]));
  const items = [...figure.querySelectorAll("ul.legend li")];
  const spent = board.entries.map(wonCosts);
  const values = items.map((item) => item.appendChild(make("b", {})));

  function show() {
    const budget = (most * slider.value) / 1000;
    line.setAttribute("visibility", "visible");
    for (const end of ["x1", "x2"]) line.setAttribute(end, left + budget * scale);
    figure.querySelector("output").textContent = shortNumber(budget);
    spent.forEach((costs, at) => {
      if (values[at]) values[at].textContent = ` ${percent(countWithin(costs, budget * (1 + 1e-9)) / board.entries[at].n)}`;
    });
  }

  slider.addEventListener("input", show);
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    slider.value = Math.max(0, Math.min(1000, ((x - left) / scale / most) * 1000));
    show();
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

function countWithin(costs, budget) {
  let [low, high] = [0, costs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (costs[middle] <= budget) low = middle + 1;
    else high = middle;
  }
  return low;
}
