// The price of a noisy guess, and what it buys: how sure its marks are.

import { percent } from "./board.js";
import { h } from "./dom.js";

const PER_LETTER = [0.8, 1.6, 2.4, 3.2]; // how sure a mark is depends on the price of each letter alone

/** Return a sum of epsilons as text; null stands for one that overflows. */
export function spentText(spent) {
  return spent === null || spent === Infinity ? "∞" : String(+spent.toFixed(6));
}

/** Return the probability that a mark is true: e^(epsilon/n) / (2 + e^(epsilon/n)) for n letters. */
export function keepProbability(epsilon, length) {
  return 1 / (1 + 2 * Math.exp(-epsilon / length));
}

/** Return the prices that are offered for a guess of so many letters. */
export function offered(length) {
  return PER_LETTER.map((price) => +(price * length).toFixed(2));
}

/** Return what this epsilon buys; for a channel that only the game's own code knows, only what it costs. */
export function buys(epsilon, state) {
  const total = `total after it: ${spentText(state.spent === null ? null : state.spent + epsilon)}`;
  if (!state.is_randomized) return total;
  const keep = keepProbability(epsilon, state.length);
  return `${percent(keep)} of marks true, all ${state.length}: ${percent(keep ** state.length)} · ${total}`;
}

/** Return the choice of a price, with a field for any other. `change` is called with each new epsilon. */
export function prices(epsilon, state, change) {
  const text = h("output", { id: "buys", for: "exact" });
  const exact = h("input", {
    type: "number", id: "exact", min: 0.01, step: "any", value: epsilon, inputmode: "decimal", "aria-label": "Another price",
  });
  const choices = offered(state.length).map((price) => {
    const radio = h("input", { type: "radio", name: "price", id: `price-${price}`, value: price, onchange: () => {
      exact.value = price;
      update(price);
    } });
    const sure = state.is_randomized ? h("span", {}, `${percent(keepProbability(price, state.length))} true`) : null;
    return h("label", { class: "offer" }, radio, h("b", {}, String(price)), sure);
  });
  const update = (value) => {
    const isGood = Number.isFinite(value) && value > 0;
    text.textContent = isGood ? buys(value, state) : "The price must be a number above 0.";
    choices.forEach((choice) => { choice.firstChild.checked = Number(choice.firstChild.value) === value; });
    if (isGood) change(value);
  };
  exact.addEventListener("input", () => update(Number(exact.value)));
  update(epsilon);
  return h("fieldset", { class: "prices" }, h("legend", {}, "How sure shall the marks be? The price, ε:"), ...choices,
    h("label", { class: "offer other" }, "other", exact), text);
}
