// Tabs of panels that the page shows one below the other without a script, and rows that open to details.

function tabs(root, number) {
  const panels = [...root.querySelectorAll(":scope > .panel")];
  const templates = new Map([...root.querySelectorAll(":scope > template")].map((one) => [one.dataset.entry, one]));
  const ready = new Set(); // panels whose rows can be opened: there may be hundreds of rows in each
  const bar = make("div", { role: "tablist", class: "tablist", "aria-label": root.dataset.label });
  const buttons = panels.map((panel, at) => {
    if (!panel.id) panel.id = `panel-${number}-${at}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${panel.id}`);
    return make("button", { type: "button", role: "tab", id: `tab-${panel.id}`, "aria-controls": panel.id, onclick: () => choose(at) }, panel.dataset.tab);
  });

  function show(chosen) {
    panels.forEach((panel, at) => {
      panel.hidden = at !== chosen;
      buttons[at].setAttribute("aria-selected", String(at === chosen));
      buttons[at].tabIndex = at === chosen ? 0 : -1;
    });
    const panel = panels[chosen];
    if (panel && !ready.has(panel)) {
      ready.add(panel);
      panel.querySelectorAll("table.forest").forEach((table) => table.tBodies[0].rows.length > 1 && sortable(table));
      panel.querySelectorAll("tr[data-entry]").forEach((row) => opening(templates, row));
    }
  }

  function choose(chosen, moveThere = false) {
    show(chosen);
    if (root.dataset.board && panels[chosen].dataset.score) chooseScore(root.dataset.board, panels[chosen].dataset.score, true);
    if (moveThere) buttons[chosen].focus();
  }

  arrowKeys(bar, buttons, (at) => choose(at, true));
  if (panels.length > 1) {
    bar.append(...buttons);
    root.prepend(bar);
  }
  root.addEventListener("score", (event) => {
    const at = panels.findIndex((panel) => panel.dataset.score === event.detail);
    if (at >= 0) show(at);
  });
  show(Math.max(0, panels.findIndex((panel) => panel.hasAttribute("data-main"))));
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

/** Turn the name of a row into a button that opens the details of its entry below it, after a tick that chooses it. */
function opening(templates, row) {
  const template = templates.get(row.dataset.entry);
  if (!template) return;
  const head = row.querySelector("th");
  const button = make("button", { type: "button", class: "open", "aria-expanded": "false", onclick: toggle });
  const label = head.textContent.trim();
  button.append(...head.childNodes);
  const isChosen = row.classList.contains("chosen");
  const pick = row.parentNode.rows.length > 1 ? make("input", { type: "checkbox", class: "pick", checked: isChosen, "aria-label": `compare ${label}`, title: "compare" }) : null;
  head.append(make("span", { class: "named" }, ...[pick, button].filter(Boolean)));
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
