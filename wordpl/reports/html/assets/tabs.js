// Tabs of panels that the page shows one below the other without a script, and rows that open to details.

function tabs(root, number) {
  const panels = [...root.querySelectorAll(":scope > .panel")];
  const bar = make("div", { role: "tablist", class: "tablist", "aria-label": root.dataset.label });
  const buttons = panels.map((panel, at) => {
    if (!panel.id) panel.id = `panel-${number}-${at}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${panel.id}`);
    return make("button", { type: "button", role: "tab", id: `tab-${panel.id}`, "aria-controls": panel.id, onclick: () => choose(at) }, panel.dataset.tab);
  });

  function choose(chosen, moveThere = false) {
    panels.forEach((panel, at) => {
      panel.hidden = at !== chosen;
      buttons[at].setAttribute("aria-selected", String(at === chosen));
      buttons[at].tabIndex = at === chosen ? 0 : -1;
    });
    if (moveThere) buttons[chosen].focus();
  }

  arrowKeys(bar, buttons, (at) => choose(at, true));
  if (panels.length > 1) {
    bar.append(...buttons);
    root.prepend(bar);
  }
  choose(Math.max(0, panels.findIndex((panel) => panel.hasAttribute("data-main"))));
  root.querySelectorAll("tr[data-entry]").forEach((row) => opening(root, row));
}

/** Let the arrow keys, Home and End move between the elements of a group. */
function arrowKeys(group, elements, move) {
  group.addEventListener("keydown", (event) => {
    const at = elements.indexOf(document.activeElement);
    const n = elements.length;
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: n - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move((to + n) % n);
  });
}

/** Turn the name of a row into a button that opens the details of its entry below it. */
function opening(root, row) {
  const template = [...root.querySelectorAll(":scope > template")].find((one) => one.dataset.entry === row.dataset.entry);
  if (!template) return;
  const head = row.querySelector("th");
  const button = make("button", { type: "button", class: "open", "aria-expanded": "false", onclick: toggle });
  button.append(...head.childNodes);
  head.append(button);
  let shown = null;

  function toggle() {
    if (shown) {
      shown.remove();
      shown = null;
    } else {
      const isShown = (one) => getComputedStyle(one).display !== "none"; // a narrow screen leaves columns out
      const cell = make("td", { colspan: [...row.cells].filter(isShown).length });
      cell.append(template.content.cloneNode(true));
      shown = make("tr", { class: "details" }, cell);
      row.after(shown);
    }
    button.setAttribute("aria-expanded", String(Boolean(shown)));
  }
}
