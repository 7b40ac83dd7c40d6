#!/usr/bin/env bash
# Runs tests as an ordinary user, for root, in a copy of this tree: as_ordinary_user.sh PYTHON [OPTIONS OF PYTEST...]
# With WORDPL_WRITE_OUTCOMES=1, the table that they write comes back.
set -euo pipefail
python=$1
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
# Times are kept, so that compiled kernels stay valid.
tar -C "$here" --exclude=./.git --exclude=./results --exclude='./.*_cache' -cf - . | tar -C "$copy" -xf -
mkdir "$copy/results" "$copy/home" "$copy/temporary"
chown -R nobody "$copy"
chmod 755 "$copy"

# A Python below root's home folder is shown to others, in a mount namespace of this script's own.
base=$("$python" -c 'import sys; print(sys.base_prefix)')
export copy python base
unshare --mount bash -euo pipefail -c '
    case "$base" in
    /root/*)
        mkdir "$copy/base"
        mount --bind "$base" "$copy/base"
        mount -t tmpfs -o mode=755 none /root
        mkdir -p "$base"
        mount --bind "$copy/base" "$base"
        umount -l "$copy/base"
        rmdir "$copy/base"
        ;;
    esac
    cd "$copy"
    exec setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$copy/home" \
        TMPDIR="$copy/temporary" PYTHONPATH="$copy" PYTHONDONTWRITEBYTECODE=1 \
        "$python" -m pytest -n 0 -p no:cacheprovider "$@"
' bash "$@" || status=$?
if [ -n "${WORDPL_WRITE_OUTCOMES:-}" ]; then
    cat "$copy/docs/data/attacks.csv" > "$here/docs/data/attacks.csv"
fi
exit "${status:-0}"
