"""Measures the two solvers of sparse grids on a ball and a lake of water, for docs/pressure.md: iterations to 1e-6 and the time of a
step with one solve.

    python3 benches/pressure/measure_sparse.py [--program target/release/sastrugi] [--sizes 64,128]
"""
import argparse, json, os, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WATER = ["ball", "lake"]


def solve(program, name, n, kind, frames):
    """The last line of the log, and the time of a step in ms."""
    with tempfile.TemporaryDirectory() as out:
        settings = ["--frames", str(frames), "--set", f"n={n}", "--set", f"kind={kind}"]
        subprocess.run([program, "run", f"{HERE}/{name}.json", "--quiet", "--out", out, *settings], check=True)
        lines = open(f"{out}/log.csv").read().split("\n")
        log = dict(zip(lines[0].split(","), map(float, lines[-2].split(","))))
        manifest = json.load(open(f"{out}/manifest.json"))
    return log, 1e3 / manifest["steps_per_second"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="target/release/sastrugi")
    parser.add_argument("--sizes", default="64,128")
    parser.add_argument("--frames", default=3)
    options = parser.parse_args()
    print("| water | domain | active cells | Jacobi | multigrid |\n|---|---|---|---|---|")
    for n in map(int, options.sizes.split(",")):
        for kind, water in enumerate(WATER):
            cells = []
            for name in ("pressure_sparse", "pressure_sparse_multigrid"):
                log, step = solve(options.program, name, n, kind, options.frames)
                cells.append(f"{int(log['iterations'])} iterations, {step:.0f} ms")
            print(f"| {water} | {n}³ | {100 * 512 * log['blocks'] / n ** 3:.0f} % | {cells[0]} | {cells[1]} |", flush=True)


main()
