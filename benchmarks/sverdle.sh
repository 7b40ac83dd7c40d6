#!/usr/bin/env bash
# Builds sverdle, the Wordle clone that SvelteKit's demo template contains, in FOLDER, so that the browser bot can play it:
#
#   benchmarks/sverdle.sh FOLDER        then: PORT=4173 node FOLDER/build
#
# Every package is pinned: the direct ones below, all others by the digest of the lock file's names, versions and
# integrity hashes. Nothing of what is fetched belongs into the repository.
set -euo pipefail

folder=${1:?usage: benchmarks/sverdle.sh FOLDER}
sv=0.17.1
packages=(
    @fontsource/fira-mono@5.2.7
    @neoconfetti/svelte@2.2.2
    @sveltejs/adapter-node@5.5.7
    @sveltejs/kit@2.63.0
    @sveltejs/vite-plugin-svelte@7.1.2
    svelte@5.56.1
    typescript@6.0.3
    vite@8.0.16
)
lock_digest=94e2c522286256f4a29612305dd8fe817d2585c82a8a40408086ca46341c42a5

npx --yes "sv@$sv" create "$folder" --template demo --types ts --no-add-ons --no-install
cd "$folder"
npm pkg delete devDependencies
npm install --save-dev --save-exact --no-audit --no-fund "${packages[@]}"
sed -i 's/@sveltejs\/adapter-auto/@sveltejs\/adapter-node/' vite.config.ts

digest=$(node -e '
    const { packages } = JSON.parse(require("fs").readFileSync("package-lock.json"));
    const lines = Object.entries(packages).filter(([path]) => path).map(([path, p]) => `${path} ${p.version} ${p.integrity}`);
    console.log(require("crypto").createHash("sha256").update(lines.sort().join("\n")).digest("hex"));
')
if [ "$digest" != "$lock_digest" ]; then
    echo "note: the packages below the pinned ones have changed: their digest is $digest, not $lock_digest" >&2
fi
npm run build
echo "Built: PORT=4173 node $folder/build"
