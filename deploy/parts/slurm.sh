#!/usr/bin/env bash
# Plays a prepared run in parts, as an array of jobs on a shared folder, and makes the run of them:
#     wordpl evaluate my_bot other_bot --prepare
#     deploy/parts/slurm.sh results/RUN 40
# Further arguments are options of sbatch for the parts, such as --time=2:00:00. What a job that fails has not played,
# the last job plays.
set -euo pipefail

run=$(realpath "$1")
n=$2
shift 2
parts=$(sbatch --parsable --job-name=wordpl --array="1-$n" --cpus-per-task=1 "$@" \
    --wrap "wordpl evaluate '$run' --part \$SLURM_ARRAY_TASK_ID/$n --jobs 1")
sbatch --job-name=wordpl-join --dependency="afterany:$parts" --wrap "wordpl join '$run'"
