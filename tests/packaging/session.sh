#!/usr/bin/env bash
# What a user does with the installed package in an empty folder. Builds the wheel, installs it into an empty environment.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pip wheel -q --no-deps -w "$work/wheel" "$project"
size=$(stat -c %s "$work"/wheel/*.whl)
echo "wheel: $size bytes"
[ "$size" -le 1000000 ] || echo "the wheel should have at most 1,000,000 bytes"
python3 -m venv "$work/venv"
wheel=$(echo "$work"/wheel/*.whl)
"$work/venv/bin/pip" install -q "$wheel[league]"
export PATH="$work/venv/bin:$PATH"
unset VIRTUAL_ENV PYTHONPATH
mkdir "$work/folder" && cd "$work/folder"

run() {
    echo "\$ $*"
    "$@"
}

run wordpl --version
run wordpl new my_bot
run wordpl check my_bot.py --games 10
run wordpl evaluate my_bot.py n_guess --games 20 --repeats 5
printf 'crane\n8\n' | run wordpl play --seed 7 > game.txt || true
grep -qi crane game.txt
run wordpl suggest tares:.....
run wordpl solve --opener salet --width 5
run wordpl verify results/*-*/
printf 'Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟨⬛🟩⬛⬛\n🟩🟩🟩🟩🟩\n' > shares.txt
run wordpl league import shares.txt --player Ann
run wordpl league leaderboard --game-cutoff 1
