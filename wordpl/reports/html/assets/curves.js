// The cursor of a chart, which reads the values of its lines, and its names, which keep clear of each other; a pointer or
// the focus brings one line to the front.

const LABEL_HEIGHT = 16;

function curveReader(figure) {
  const chart = figure.querySelector("svg.chart");
  const slider = figure.querySelector("input.reader");
  const line = chart.querySelector("line.reader");
  const [left, right, most] = ["left", "right", "max"].map((name) => Number(chart.dataset[name]));
  const scale = (right - left) / most;
  const items = [...figure.querySelectorAll("ul.legend li")];
  const name = nameOf("budget", figure.closest("[data-board]")?.dataset.board);
  const parts = (at) => [...chart.querySelectorAll(`g[data-line="${at}"]`), items[at]];
  const steps = items.map((_, at) => stepsOf(chart.querySelector(`g.line[data-line="${at}"]`)));

  function bringForward(at) {
    chart.classList.toggle("forward", at !== null);
    figure.querySelectorAll(".front").forEach((one) => one.classList.remove("front"));
    if (at !== null) {
      parts(at).forEach((one) => one.classList.add("front"));
      const drawn = chart.querySelector(`g.line[data-line="${at}"]`);
      drawn.parentNode.insertBefore(drawn, chart.querySelector("g.label"));
    }
    placeLabels(chart);
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
    const place = Number(slider.value);
    line.setAttribute("visibility", "visible");
    for (const end of ["x1", "x2"]) line.setAttribute(end, left + place * scale);
    figure.querySelector("output").textContent = shortNumber(place, slider.step === "1" ? 0 : 1);
    buttons.forEach((button, at) => (button.querySelector("b").textContent = ` ${percent(valueAt(steps[at], place))}`));
  }

  slider.addEventListener("input", show);
  slider.addEventListener("change", () => address.write({ [name]: Number(Number(slider.value).toPrecision(6)) }));
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    slider.value = Math.max(0, Math.min(most, (x - left) / scale));
    show();
  });
  figure.addEventListener("address", () => {
    const kept = address.read().get(name);
    if (kept) slider.value = kept;
    show();
  });
  show();
}

/** Return the steps of a line, [places, values from there on]. */
function stepsOf(drawn) {
  const pairs = drawn.dataset.steps.split(" ").filter(Boolean).map((pair) => pair.split(",").map(Number));
  return [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
}

/** Return the value of a step function, which is 0 before its first step. */
function valueAt([xs, ys], place) {
  let [low, high] = [0, xs.length];
  const most = place * (1 + 1e-6); // a slider stops at rounded places
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low ? ys[low - 1] : 0;
}

/** Move the names beside a chart apart where they would overlap; those of chosen lines have a place first. */
function placeLabels(chart) {
  const [top, bottom, right] = ["top", "bottom", "right"].map((name) => Number(chart.dataset[name]));
  const isFirst = (one) => one.classList.contains("front") || one.classList.contains("chosen");
  const room = Math.floor((bottom - top) / LABEL_HEIGHT);
  const all = [...chart.querySelectorAll("g.label")];
  const shown = all.filter((one) => isFirst(one) || !one.classList.contains("unplaced")).sort((a, b) => isFirst(b) - isFirst(a)).slice(0, room);
  all.forEach((one) => {
    one.classList.toggle("placed", shown.includes(one));
    one.classList.toggle("left-out", !shown.includes(one));
  });
  shown.sort((a, b) => a.dataset.y - b.dataset.y || a.dataset.line - b.dataset.line);
  const places = shown.map((one) => Number(one.dataset.y));
  for (let at = 1; at < places.length; at++) places[at] = Math.max(places[at], places[at - 1] + LABEL_HEIGHT);
  for (let at = places.length - 1; at >= 0; at--) places[at] = Math.min(places[at], bottom - LABEL_HEIGHT * (places.length - 1 - at));
  shown.forEach((one, at) => {
    one.querySelector("text").setAttribute("y", places[at] + 4);
    one.querySelector("polyline").setAttribute("points", `${right + 8},${one.dataset.y} ${right + 16},${places[at]}`);
  });
}
