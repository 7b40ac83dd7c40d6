#!/usr/bin/env bash
# What a user does with the installed package in an empty folder. Builds the wheel and the sdist, or takes those of the
# folder in its first argument, shows that both hold the same files, and installs the wheel into an empty environment.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/wheel" "$work/sdist"
python3 -m venv "$work/build"
if [ -n "${1:-}" ]; then
    cp "$1"/*.whl "$work/wheel"
    cp "$1"/*.tar.gz "$work/sdist"
else
    pip wheel -q --no-deps -w "$work/wheel" "$project"
    "$work/build/bin/pip" install -q "setuptools>=77"
    (cd "$project" && "$work/build/bin/python" -c "
import sys
from setuptools import build_meta
build_meta.build_sdist(sys.argv[1])" "$work/sdist" > "$work/sdist.log" 2>&1) || { cat "$work/sdist.log"; exit 1; }
fi
size=$(wc -c < "$(echo "$work"/wheel/*.whl)" | tr -d " ")
echo "wheel: $size bytes"
limit=2000000
[ "$size" -le "$limit" ] || { echo "the wheel should have at most $limit bytes"; exit 1; }

"$work/build/bin/pip" wheel -q --no-deps -w "$work/from_sdist" "$work"/sdist/*.tar.gz
python3 - "$work"/wheel/*.whl "$work"/from_sdist/*.whl <<'END'
import sys
from zipfile import ZipFile
files = [{file.filename: file.CRC for file in ZipFile(path).infolist()} for path in sys.argv[1:]]
differ = sorted(name for name in files[0].keys() | files[1].keys() if files[0].get(name) != files[1].get(name))
if differ:
    sys.exit(f"the sdist builds another wheel: {differ}")
(metadata,) = (name for name in files[0] if name.endswith("METADATA"))
description = ZipFile(sys.argv[1]).read(metadata).decode()
sys.exit("the description has links that only a checkout has" if "](" in description else 0)
END
echo "sdist: builds the same wheel, file for file"

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
run python -m wordpl --version
run wordpl warm-up
run wordpl new my_bot
run wordpl check my_bot.py --games 10
run wordpl evaluate my_bot.py n_guess --games 20 --repeats 5 > evaluate.txt
cat evaluate.txt
wordpl evaluate my_bot.py tree letter_frequency --games 5 --repeats 0 --no-report --json --quiet | python -m json.tool > /dev/null
printf 'crane\n8\n' | run wordpl play --seed 7 > game.txt || true
grep -qi crane game.txt
run wordpl suggest tares:.....
wordpl suggest tares:..... --json | head -1
run wordpl suggest tares:....i --prior default --top 1
run wordpl words lists
run wordpl solve --opener salet --width 5
echo "== the command that evaluate printed"
bash -c "$(sed -n 's/^verify with: //p' evaluate.txt)"
echo "== the run's folder alone, after the author changed the entry"
mkdir "$work/reader"
cp -r "$(sed -n 's/^verify with: wordpl verify //p' evaluate.txt)" "$work/reader/run"
echo "raise SystemExit" > my_bot.py
(cd "$work/reader" && run wordpl verify run --replay 50)
echo "== the run as an archive"
run wordpl publish "$work/reader/run" -o "$work/reader/run.zip" --with-entries
(cd "$work/reader" && run wordpl verify run.zip --replay 10)
printf 'Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟨⬛🟩⬛⬛\n🟩🟩🟩🟩🟩\n' > shares.txt
run wordpl league import shares.txt --player Ann
run wordpl league leaderboard --game-cutoff 1
