// Adds tabs, sorting, chart cursors and replays to the page, whose tables and charts also work without a script.

/** Return the boards of all runs with their games. */
function boardsOf(facts) {
  let key = 0;
  return facts.runs.flatMap((run) => {
    const answers = wordsOf(run.answers, run.length);
    return run.boards.map((board) => ({
      rules: board.rules, noisy: board.noisy, clues: board.clues, marks: board.marks, hasSecret: board.secret, answers,
      play: board.play, command: board.command, hasGameKeys: run.game_keys, key: Uint8Array.from(run.key.match(/../g) || [], (byte) => parseInt(byte, 16)),
      get words() { return (this.guesses ||= new Set([...answers, ...wordsOf(run.others, run.length)])); },
      title: facts.runs.length > 1 ? `${board.rules} · ${run.name}` : board.rules,
      entries: board.entries.map((entry) => Object.assign(new EntryGames(facts, board, entry, run.length), { key: key++, answers })),
    }));
  });
}

async function start() {
  document.documentElement.classList.add("scripted");
  document.querySelectorAll(".tabs").forEach(tabs);
  document.querySelectorAll("table.sortable").forEach(sortable);
  document.querySelectorAll("figure[data-curves]").forEach(curveReader);
  let replayed = null;
  followAddress((names) => replayed?.compareEntries(names));
  showWhatGoesOn(document.querySelectorAll(".scroll"));
  const block = document.getElementById("data");
  if (block) {
    const boards = boardsOf(await readBlock(block.textContent));
    const replay = new Replay(document.getElementById("replay"), boards);
    const list = document.getElementById("browser");
    let browser = null;
    list.parentNode.addEventListener("toggle", () => (browser ||= new GameBrowser(list, boards, replay)));
    replayed = replay;
    followGames(replay, boards);
    window.wordpl = { boards, Posterior, CLUE_RULES, replay, statesOf, OwnGame };
  }
  followLinks();
  document.documentElement.dataset.ready = "yes";
  performance.mark("ready");
}

/** Fade the end of boxes that can be scrolled sideways. */
function showWhatGoesOn(boxes) {
  const update = (box) => {
    const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("goes-on", rest > 4 && getComputedStyle(box).overflowX !== "hidden");
  };
  const sizes = new ResizeObserver((found) => found.forEach((one) => update(one.target)));
  boxes.forEach((box) => {
    sizes.observe(box);
    box.addEventListener("scroll", () => update(box), { passive: true });
  });
}

/** Follow links to sections, whose names the address has beside all else. */
function followLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']:not(.skip)");
    const section = link && !event.defaultPrevented && document.getElementById(link.hash.slice(1));
    if (!section) return;
    event.preventDefault();
    section.querySelector(":scope > details")?.setAttribute("open", "");
    address.go(section.id);
    section.scrollIntoView();
  });
}

/** Open the games that links and the address name. */
function followGames(replay, boards) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    const name = link.dataset.replay;
    const entry = name && boards.flatMap((board) => board.entries).find((one) => one.name === name);
    if (entry) {
      event.preventDefault();
      replay.show(boards.find((board) => board.entries.includes(entry)), entry, Number(link.hash.slice("#game=".length)), true);
    } else if (link.hash === "#games") {
      event.preventDefault();
      replay.focus();
    }
  });
  window.addEventListener("hashchange", () => replay.read());
  replay.read();
}

start().catch((error) => {
  document.getElementById("replay")?.append(`Cannot read the games: ${error.message}`);
  document.documentElement.dataset.ready = "failed";
});
