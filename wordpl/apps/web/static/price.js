// The slider for the epsilon of a noisy guess.

import { chanceText } from "./board.js";
import { h } from "./dom.js";

const MAX_SLIDER = 25;
const STEP = 0.5;

/** Return the probability that a mark is true: e^(epsilon/n) / (2 + e^(epsilon/n)) for n letters. */
export function keepProbability(epsilon, length) {
  return 1 / (1 + 2 * Math.exp(-epsilon / length));
}

/** Return what this epsilon buys; for a channel that only the game's own code knows, only what it costs. */
export function buys(epsilon, state) {
  const total = `${+(state.spent + epsilon).toFixed(6)} spent`;
  if (!state.is_randomized) return total;
  const keep = keepProbability(epsilon, state.length);
  return `mark true ${chanceText(keep)} · all ${state.length} true ${chanceText(keep ** state.length)} · ${total}`;
}

/** Return the slider with a field for exact values. `change` is called with each new epsilon. */
export function slider(epsilon, state, change) {
  const text = h("output", { id: "buys", for: "epsilon exact" });
  const range = h("input", {
    type: "range", id: "epsilon", min: STEP, max: MAX_SLIDER, step: STEP, value: Math.min(epsilon, MAX_SLIDER),
    "aria-label": "Epsilon of the next guess",
  });
  const exact = h("input", {
    type: "number", id: "exact", min: 0.01, step: "any", value: epsilon, inputmode: "decimal",
    "aria-label": "Exact epsilon",
  });
  const update = (value) => {
    const isGood = Number.isFinite(value) && value > 0;
    text.textContent = isGood ? buys(value, state) : "The epsilon must be a number above 0.";
    range.setAttribute("aria-valuetext", `epsilon ${value}: ${text.textContent} after this guess`);
    if (isGood) change(value);
  };
  range.addEventListener("input", () => {
    exact.value = range.value;
    update(Number(range.value));
  });
  exact.addEventListener("input", () => {
    range.value = exact.value;
    update(Number(exact.value));
  });
  update(epsilon);
  return h("div", { class: "price-choice" }, h("span", { "aria-hidden": "true" }, "ε"), range, exact, text);
}
