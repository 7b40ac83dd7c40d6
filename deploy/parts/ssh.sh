#!/usr/bin/env bash
# Plays a prepared run in parts on other machines by ssh, one part for each, and makes the run of them:
#     wordpl evaluate my_bot other_bot --prepare
#     deploy/parts/ssh.sh results/RUN ada.example.org bob.example.org
# Each machine gets the folder of its part alone. What a machine that fails has not played, `wordpl join` plays here.
# WORDPL is the command there, and SSH the one here, with its options.
set -euo pipefail

run=$1
shift
n=$#

play() {  # host, number
    local part
    part="$run/parts/$(printf '%0*d' "${#n}" "$2")-of-$n"
    # shellcheck disable=SC2016,SC2086
    tar -C "$part" -c . | ${SSH:-ssh} "$1" "WORDPL='${WORDPL:-wordpl}'"'
        set -eu
        part=$(mktemp -d)
        trap "rm -rf \"$part\"" EXIT
        tar -C "$part" -x
        $WORDPL evaluate --resume "$part" --quiet >&2
        tar -C "$part" -c .' | tar -C "$part" -x
}

number=0
for host in "$@"; do
    number=$((number + 1))
    wordpl evaluate "$run" --part "$number/$n" --prepare --quiet
done
number=0
for host in "$@"; do
    number=$((number + 1))
    play "$host" "$number" || echo "$host has not played part $number of $n" >&2 &
done
wait
wordpl join "$run"
