#!/bin/sh
# Water by the material point method, the same scene in Sastrugi (mpm.json) and in Taichi (taichi_mpm.py), in turn.
# Usage: benches/peers/run.sh [PROGRAM] [PYTHON]
#     PROGRAM  sastrugi, target/release/sastrugi
#     PYTHON   one that has Taichi:  python3 -m venv ENV && ENV/bin/pip install taichi==1.7.4;  then ENV/bin/python
# PARTICLES (100000), GRID (64 cells along a side), BACKEND (cpu, or cuda), STEPS of a batch (50), ROUNDS (3), OUT
# (out/peers) are taken from the environment. On a processor both use all cores that they are given: `taskset -c 0,1`.
#
# Prints the million particle-steps per second of each round and their medians: here by the wall clock over the loop of
# 5 batches, there the median of 5 batches after a warm-up.
set -eu
cd "$(dirname "$0")/../.."
program=${1:-target/release/sastrugi}
python=${2:-python3}
particles=${PARTICLES:-100000}
grid=${GRID:-64}
backend=${BACKEND:-cpu}
steps=${STEPS:-50}
rounds=${ROUNDS:-3}
out=${OUT:-out/peers}
mkdir -p "$out"

here() {
    rm -rf "$out/run"
    "$program" run benches/peers/mpm.json --quiet --out "$out/run" --set "parameters.particles=$particles" \
        --set "parameters.grid=$grid" --set "run.steps_per_frame=$steps" >&2
    awk -v particles="$particles" '/"steps_per_second":/ {
        gsub(/[^0-9.e+-]/, "", $2); printf "%.4f\n", $2 * particles / 1e6 }' "$out/run/manifest.json"
}

there() {
    ENABLE_TAICHI_HEADER_PRINT=0 "$python" benches/peers/taichi_mpm.py --particles "$particles" --grid "$grid" \
        --backend "$backend" --steps "$steps" --rate-only | awk 'END { printf "%.4f\n", $1 / 1e6 }'
}

median() {
    sort -g "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

: > "$out/here"
: > "$out/there"
for round in $(seq "$rounds"); do
    one=$(here)
    two=$(there)
    echo "round $round: sastrugi $one, taichi $two M particle-steps/s"
    echo "$one" >> "$out/here"
    echo "$two" >> "$out/there"
done
awk -v here="$(median "$out/here")" -v there="$(median "$out/there")" -v particles="$particles" -v grid="$grid" 'BEGIN {
    printf "%d particles, %d^3 nodes: sastrugi %.3f, taichi %.3f M particle-steps/s: %.2f times taichi\n", particles, grid, here, there, here / there }'
