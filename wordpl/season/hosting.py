"""The files with which a season is hosted in a git repository: its README, and the workflow that plays rounds."""

PLACEHOLDER = "OWNER/wordpl@COMMIT"
"""Stands for the action in a workflow, until the host replaces it by a commit that he trusts."""
WORKFLOW_FILE = ".github/workflows/season.yml"

README = """\
# {title}

{begin}
{end}

## How to take part

1. Write one file, `NAME.py` or `NAME.toml` (a program in any language), or a folder `NAME/`. `wordpl new NAME` writes
   a first one.
2. Test it with `wordpl check NAME.py`. In a copy of this repository, `wordpl season sample NAME.py` plays it against
   the leaders and shows the rank that it would have.
3. Send it to the host, for example as a pull request that adds `strategies/NAME.py` and changes nothing else.

A changed file is a new version, `NAME@2`; your newest version is ranked, and you may ask the host to withdraw one.
Everything that you send is published. `season.toml` has the limits, the deadline and the prize.
"""

GITIGNORE = """\
.lock
"""

GITATTRIBUTES = """\
# Digests are computed from the bytes of these files.
log.jsonl -text
rounds/** -text
confirmations/** -text
versions/** -text
strategies/** -text
"""

WORKFLOW = """\
# Hosts the season in this repository. Replace {action} by a commit of wordpl that you trust.
#
# A pull request is checked, and plays a sample against the leaders: its code sees no secret, and the job cannot write.
# After a merge, the job `round` plays a round and cannot write either. The job `publish` may write: it runs no entry,
# verifies each game of the round from its seed, and commits it with the standings, the table and the pages in docs/.
name: season

on:
  pull_request:
    paths:
      - "strategies/**"
  push:
    branches: [main]
    paths:
      - "strategies/**"
      - "season.toml"
  workflow_dispatch:

permissions:
  contents: read

concurrency:
  group: season-${{{{ github.event_name == 'pull_request' && github.ref || 'round' }}}}
  cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}

jobs:
  sample:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          fetch-depth: 2
          persist-credentials: false
      - uses: {action}
        with:
          season: sample

  round:
    if: github.event_name != 'pull_request'
    runs-on: ubuntu-24.04
    timeout-minutes: 350
    outputs:
      base: ${{{{ steps.round.outputs.base }}}}
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          ref: ${{{{ github.ref }}}}
          persist-credentials: false
      - uses: {action}
        id: round
        with:
          season: round
          round: ${{{{ runner.temp }}}}/round
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02  # v4.6.2
        with:
          name: round
          path: ${{{{ runner.temp }}}}/round

  publish:
    needs: round
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    permissions:
      contents: write
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          ref: ${{{{ github.ref }}}}
          fetch-depth: 0
      - uses: actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093  # v4.3.0
        with:
          name: round
          path: ${{{{ runner.temp }}}}/round
      - uses: {action}
        with:
          season: publish
          round: ${{{{ runner.temp }}}}/round
          base: ${{{{ needs.round.outputs.base }}}}
"""


def files(title: str, begin: str, end: str, action: str = PLACEHOLDER) -> dict[str, str]:
    """Return the files of a season's repository by their names, besides season.toml.

    Args:
        title: The name of the season.
        begin, end: The lines of the README between which the table is written.
        action: The action of wordpl with its commit.
    """
    return {
        "README.md": README.format(title=title, begin=begin, end=end),
        ".gitignore": GITIGNORE,
        ".gitattributes": GITATTRIBUTES,
        WORKFLOW_FILE: WORKFLOW.format(action=action),
    }
