// Reads a page, for the bot and the bookmarklet. `shape` is PageShape of adapters/base.py.

({
  // Return the rows with letters as [word, marks, epsilon]; a tile without a mark yet has the mark "".
  rows(shape) {
    const own = (tile) => [...tile.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("");
    const found = [];
    for (const row of document.querySelectorAll(shape.row)) {
      const tiles = [...row.querySelectorAll(shape.tile)];
      const letters = tiles.map((tile) => (shape.letter ? tile.getAttribute(shape.letter) || "" : own(tile)).trim().toLowerCase());
      const marks = tiles.map((tile) => {
        const hit = shape.marks.find(([selector]) => tile.matches(selector));
        return hit ? hit[1] : "";
      });
      if (letters.some((letter) => letter)) found.push([letters.join(""), marks, row.dataset.epsilon || ""]);
    }
    return found;
  },

  // Return the text with which the page currently refuses a word, or "".
  refusal(shape) {
    if (!shape.refused) return "";
    for (const element of document.querySelectorAll(shape.refused)) {
      const text = element.textContent.trim();
      if ((!shape.refused_text || new RegExp(shape.refused_text, "i").test(text)) && element.getClientRects().length) {
        return text || "refused";
      }
    }
    return "";
  },

  // Watch for the next refusal, which a page may show for less time than the polling interval.
  watch(shape) {
    window.wordplWatch?.observer.disconnect();
    const watch = { text: "", observer: new MutationObserver(() => { watch.text ||= this.refusal(shape); }) };
    watch.observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    window.wordplWatch = watch;
  },

  // Return the refusal since `watch`, or "".
  watched(shape) {
    return window.wordplWatch?.text || this.refusal(shape);
  },

  // Simulate a key press.
  press(key) {
    for (const type of ["keydown", "keyup"]) {
      document.body.dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, cancelable: true }));
    }
  },
})
