// Adds sorting, the chart sliders and the list of games to the page, whose tables and charts also work without a script.

/** Return the boards of all runs with their games. */
function boardsOf(facts) {
  return facts.runs.flatMap((run) => {
    const answers = wordsOf(run.answers, run.length);
    return run.boards.map((board) => ({
      rules: board.rules, noisy: board.noisy, clues: board.clues, hasSecret: board.secret, answers,
      title: facts.runs.length > 1 ? `${board.rules} · ${run.name}` : board.rules,
      entries: board.entries.map((entry) => new EntryGames(facts, board, entry, run.length)),
    }));
  });
}

async function start() {
  document.documentElement.classList.add("scripted");
  document.querySelectorAll("table.sortable").forEach(sortable);
  const block = document.getElementById("data");
  if (block) {
    const boards = boardsOf(await readBlock(block.textContent));
    const noisy = boards.filter((board) => board.noisy);
    document.querySelectorAll("figure[data-curves]").forEach((figure, at) => curveReader(figure, noisy[at]));
    const replay = new Replay(document.getElementById("replay"));
    new GameBrowser(document.getElementById("browser"), boards, replay);
    window.wordpl = { boards, Posterior, CLUE_RULES, replay };
  }
  document.documentElement.dataset.ready = "yes";
  performance.mark("ready");
}

start().catch((error) => {
  document.getElementById("replay")?.append(`Cannot read the games: ${error.message}`);
  document.documentElement.dataset.ready = "failed";
});
