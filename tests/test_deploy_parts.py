"""The recipes in deploy/parts run: each plays a prepared run in parts, and ends with the bytes of one machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.helpers.paths import HOME
from wordpl.players.sandbox.probe import probe
from wordpl.run.folder import Run

FOLDER = HOME / "deploy" / "parts"
BOT = "class Bot:\n    def first_move(self): return 'crane', 9.0\n    def next_move(self, *asked): return 'abide', 0\n"
SBATCH = """#!/usr/bin/env bash
array=""
while [ $# -gt 1 ]; do case $1 in --array=1-*) array=${1#--array=1-} ;; --parsable) echo 1 ;; esac; shift; done
for SLURM_ARRAY_TASK_ID in $(seq "${array:-1}"); do export SLURM_ARRAY_TASK_ID; bash -c "$1" >&2 || exit 1; done
"""
needs_sandbox = pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")


def shell(script: str, folder: Path, **variables: str) -> str:
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env={**os.environ, "PATH": path, **variables},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def command(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


@pytest.fixture
def prepared(tmp_path):
    """Return a folder with a prepared run, and the records of the same run as one machine played it."""
    (tmp_path / "bot.py").write_text(BOT)
    terms = "--games 12 --repeats 2 --seed 7 --no-report"
    shell(f"wordpl evaluate bot.py {terms} --results whole && wordpl evaluate bot.py {terms} --prepare", tmp_path)
    (whole,), (run,) = (tmp_path / "whole").iterdir(), (tmp_path / "results").iterdir()
    return run, (whole / "records" / "bot.jsonl").read_bytes()


def steps(name: str) -> dict[str, list[str]]:
    """Return the scripts of each job of a workflow."""
    jobs = yaml.safe_load((FOLDER / name).read_text())["jobs"]
    return {job: [step["run"] for step in jobs[job]["steps"] if "name" in step] for job in jobs}


def test_scripts_and_manifests_have_no_errors_of_syntax():
    for path in FOLDER.glob("*.sh"):
        subprocess.run(["bash", "-n", path], check=True)
        assert path.stat().st_mode & 0o111
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", path], check=True)
    parts, join = yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text())
    assert [job["metadata"]["name"] for job in (parts, join)] == ["wordpl-parts", "wordpl-join"]
    assert parts["spec"]["completionMode"] == "Indexed"
    workflow = yaml.safe_load((FOLDER / "workflow.yml").read_text())
    assert workflow["jobs"]["play"]["strategy"]["matrix"]["part"] == [*range(1, int(workflow["env"]["PARTS"]) + 1)]
    for path in FOLDER.iterdir():
        assert "wordpl join" in path.read_text()


@needs_sandbox
@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("recipe", ["ssh", "slurm", "kubernetes", "workflow"])
def test_a_recipe_makes_the_run_of_one_machine(prepared, tmp_path, recipe):
    run, records = prepared
    if recipe == "ssh":
        command(tmp_path, "ssh", '#!/bin/sh\n[ "$1" = down ] && exit 255\nshift\nexec sh -c "$*"\n')
        shell(f"{FOLDER}/ssh.sh {run} ada down bob", tmp_path)
    elif recipe == "slurm":
        command(tmp_path, "sbatch", SBATCH)
        shell(f"{FOLDER}/slurm.sh {run} 3 --time=1", tmp_path)
    elif recipe == "kubernetes":
        for job in yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text().replace("40", "3")):
            (container,) = job["spec"]["template"]["spec"]["containers"]
            (script,) = container["args"]
            for index in range(job["spec"].get("completions", 1)):
                shell(script, tmp_path, RUN=str(run), JOB_COMPLETION_INDEX=str(index), MAX_MINUTES="1")
    else:
        scripts = steps("workflow.yml")
        shutil.move(run, tmp_path / "prepared")
        run = tmp_path / "prepared"
        for part in ("1", "3"):
            shell(scripts["play"][0], tmp_path, PART=part, PARTS="3")
        shell(scripts["join"][0], tmp_path)
    joined = Run(run)
    assert joined.info.finished is not None
    assert (run / "records" / "bot.jsonl").read_bytes() == records
    assert set(joined.info.parts) == ({"1/3", "3/3"} if recipe == "workflow" else {"1/3", "2/3", "3/3"})
