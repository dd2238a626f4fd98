#!/bin/sh
# Time of a run that writes every step, against the length of its rings: see docs/outputs.md.
# Usage: benches/ring/run.sh [PROGRAM] [DIRECTORY] [override...]
# Prints, per ring length: seconds of the loop with outputs, and its ratio to the longer of simulating only and
# writing only. Ring lengths are those of RINGS; every figure is the median of REPEATS runs.
set -eu
cd "$(dirname "$0")/../.."
program=${1:-target/release/sastrugi}
directory=${2:-out/ring}
[ $# -lt 2 ] && shift $# || shift 2
rings=${RINGS:-1 2 3 4 5 6 7 8}
repeats=${REPEATS:-3}
mkdir -p "$directory"

# Seconds of a run's loop: steps over steps per second.
seconds() {
    awk '/"steps":/ { gsub(/[^0-9.]/, "", $2); steps = $2 }
         /"steps_per_second":/ { gsub(/[^0-9.e+-]/, "", $2); rate = $2 }
         END { printf "%.4f\n", steps / rate }' "$1/manifest.json"
}

median() {
    for _ in $(seq "$repeats"); do
        rm -rf "$directory/run"
        "$program" run benches/ring/ring.json --quiet --out "$directory/run" "$@" >&2
        seconds "$directory/run"
        rm -rf "$directory/run"
    done | sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

simulate=$(median "$@" --set 'outputs={}')
# The last of several overrides counts.
write=$(median "$@" --set rounds=0 --set particles.dots.ring=8)
echo "simulate only: $simulate s"
echo "write only: $write s"
for ring in $rings; do
    wall=$(median "$@" --set "particles.dots.ring=$ring")
    awk -v n="$ring" -v wall="$wall" -v a="$simulate" -v b="$write" 'BEGIN {
        longer = a > b ? a : b
        printf "ring %d: %.3f s, %.3f times the longer, %.3f of both one after the other\n", n, wall, wall / longer, wall / (a + b)
    }'
done
