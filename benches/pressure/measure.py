"""Measures the pressure solver: iterations on several masks, time of an iteration and of a solve, and, if CuPy is installed, the
same by its conjugate gradients on a sparse matrix. Prints tables for docs/pressure.md.

    python3 benches/pressure/measure.py [--program target/release/sastrugi] [--sizes 64,128] [--kinds 64] [--masks 256] [--cg 128] [--cupy]
"""
import argparse, json, os, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Bytes that each kernel reads and writes per cell in an empty box, if neighbours are cached.
# On the way up, coarser levels are smoothed twice.
BYTES = {"direction": 13, "advance": 21, "smooth (down)": 9, "restrict": 9, "prolong": 12.5, "smooth (up)": 15,
         "finish_cycle": 17}
LEVELS = ("smooth (down)", "restrict", "prolong", "smooth (up)")
MASKS = {0: "empty box", 1: "random 30 % of solid", 2: "comb of one-cell gaps", 3: "sphere of solid", 4: "below a wavy surface",
         5: "foam: 45 % of solid, 5 % of air"}


def run(program, name, *settings, frames=3):
    """The last line of the log, and for each stage its time in a step (ms), in the order of the run."""
    with tempfile.TemporaryDirectory() as out:
        command = [program, "run", f"{HERE}/{name}.json", "--quiet", "--out", out, "--frames", str(frames)]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run(command, check=True)
        lines = open(f"{out}/log.csv").read().split("\n")
        log = dict(zip(lines[0].split(","), map(float, lines[-2].split(","))))
        manifest = json.load(open(f"{out}/manifest.json"))
    stages, way = [], "down"
    for row in manifest["stage_gpu_ms"]:
        stage = row["stage"].replace("solver.", "").replace("multigrid.", "")
        way = "up" if stage == "solve_bottom" else way
        stages.append((f"smooth ({way})" if "smooth" in stage else stage, row["median_ms"]))
    return log, manifest["wall_seconds"], stages, 1e3 / manifest["steps_per_second"]


def solves(program, sizes):
    print("| cells | iterations | solve, ms | an iteration, ms | residual carried along | true residual |\n|---|---|---|---|---|---|")
    for n in sizes:
        log, _, _, ms = run(program, "pressure", f"n={n}", frames=12)
        count = int(log["iterations"])
        print(f"| {n}³ | {count} | {ms:.2f} | {ms / count:.3f} | {log['residual']:.1e} | {log['true_residual']:.1e} |", flush=True)


def masks(program, n):
    print(f"| mask, {n}³ | fluid cells, millions | iterations | solve, ms | millions of fluid cells per second |\n|---|---|---|---|---|")
    cases = [(name, "pressure", [f"kind={kind}"]) for kind, name in MASKS.items()] + [("bunny of solid", "pressure_bunny", [])]
    for name, spec, settings in cases:
        log, _, _, ms = run(program, spec, f"n={n}", *settings, frames=8)
        fluid = log["fluid_cells"] / 1e6
        print(f"| {name} | {fluid:.1f} | {int(log['iterations'])} | {ms:.2f} | {fluid / ms * 1e3:.0f} |", flush=True)


def kinds(program, sizes):
    print("| mask | " + " | ".join(f"{n}³" for n in sizes) + " |\n|---|" + "---|" * len(sizes))
    for kind, name in MASKS.items():
        count = [int(run(program, "pressure", f"n={n}", f"kind={kind}", frames=1)[0]["iterations"]) for n in sizes]
        print(f"| {name} | " + " | ".join(map(str, count)) + " |", flush=True)
    count = [int(run(program, "pressure_bunny", f"n={n}", frames=1)[0]["iterations"]) for n in sizes]
    print("| bunny of solid | " + " | ".join(map(str, count)) + " |", flush=True)


def iterations(program, sizes):
    print("| cells | an iteration of solve_cg, us | iterations to 1e-6 | time, ms |\n|---|---|---|---|")
    for n in sizes:
        each = []
        for _ in range(3):
            _, _, _, few = run(program, "pressure_cg", f"n={n}", "solver.rtol=0", "solver.max_iterations=100", frames=12)
            _, _, _, many = run(program, "pressure_cg", f"n={n}", "solver.rtol=0", "solver.max_iterations=300", frames=12)
            each.append((many - few) / 200 * 1e3)
        log, _, _, ms = run(program, "pressure_cg", f"n={n}", frames=5)
        print(f"| {n}³ | {statistics.median(each):.1f} | {int(log['iterations'])} | {ms:.1f} |", flush=True)


def kernels(program, n, copy):
    print(f"| kernel, {n}³ | us | bytes a cell | TB/s | % of a copy |\n|---|---|---|---|---|")
    for name in ("pressure_cg", "pressure"):
        settings = [f"n={n}"] + (["solver.rtol=0", "solver.max_iterations=100"] if name == "pressure_cg" else [])
        log, _, stages, _ = run(program, name, *settings, frames=8)
        count = int(log["iterations"])
        found = {}
        for stage, ms in stages:
            found.setdefault(stage, []).append(ms)
        for stage in ("direction", "advance", "finish_cycle", *LEVELS):
            if stage not in found or name == "pressure" and stage == "direction":
                continue
            # The sum for kernels that run on all levels: 8/7 of the bytes of the finest level.
            us = sum(found[stage]) * 1e3 / count
            levels = 8 / 7 if stage in LEVELS else 1
            need = BYTES[stage]
            rate = need * levels * n ** 3 / us / 1e6
            share = f"{100 * rate / copy:.0f}" if copy else ""
            print(f"| {stage} ({'solve' if name == 'pressure' else 'solve_cg'}) | {us:.1f} | {need} | {rate:.2f} | {share} |", flush=True)


def copy_rate():
    import cupy as cp
    a = cp.zeros(1 << 28, cp.float32)
    b = cp.empty_like(a)
    times = []
    for _ in range(8):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record(); cp.copyto(b, a); end.record(); end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end))
    return 2 * a.nbytes / statistics.median(times) / 1e9


if __name__ == "__main__":
    numbers = lambda text: [int(n) for n in text.split(",")] if text else []
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="target/release/sastrugi")
    parser.add_argument("--sizes", type=numbers, default=[32, 64])
    parser.add_argument("--kinds", type=numbers, default=[32, 64])
    parser.add_argument("--masks", type=numbers, default=[])
    parser.add_argument("--cg", type=numbers, default=[32, 64])
    parser.add_argument("--kernels", type=numbers, default=[])
    parser.add_argument("--cupy", type=numbers, default=[])
    args = parser.parse_args()
    copy = copy_rate() if args.cupy else None
    if copy:
        print(f"a copy: {copy:.2f} TB/s")
    solves(args.program, args.sizes)
    kinds(args.program, args.kinds)
    for n in args.masks:
        masks(args.program, n)
    iterations(args.program, args.cg)
    for n in args.kernels:
        kernels(args.program, n, copy)
    if args.cupy:
        subprocess.run([sys.executable, f"{HERE}/cupy_cg.py", *map(str, args.cupy)], check=True)
