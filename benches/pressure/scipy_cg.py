"""SciPy's conjugate gradients on the same matrix and right sides as pressure_cg.json, an empty closed box, in 32- and 64-bit floats,
beside `solve_cg` and `solve`. Prints a table: iterations to a relative residual of 1e-6, and the median and range of the times of a solve, ms.

    python3 benches/pressure/scipy_cg.py [--program target/release/sastrugi] [--sizes 32,48,64] [--rounds 3]

Fails if the iterations of `solve_cg` and of SciPy in 32-bit floats differ by more than 5 %, or if they do not differ by more
on a matrix whose sides are open instead of closed: the control. SciPy's time is that of `scipy.sparse.linalg.cg` alone; the
time here is that of a step, which also makes the right side and computes the true residual. Needs NumPy and SciPy.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, time
# Threaded dot products are not faster at these sizes, and slow on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np, scipy.sparse as sp, scipy.sparse.linalg as sl

HERE = os.path.dirname(os.path.abspath(__file__))


def laplace(n, dtype, side=1):
    """CSR; the diagonal of the cells at the ends of a line is `side`: 1 where the box is closed."""
    d = np.full(n, 2.0)
    d[0] = d[-1] = side
    line, one = sp.diags([d, -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1], format="csr"), sp.identity(n, format="csr")
    plane = sp.kron(one, line) + sp.kron(line, one)
    return (sp.kron(one, plane) + sp.kron(line, sp.identity(n * n))).tocsr().astype(dtype)


def here(program, name, n):
    """Iterations and seconds of a step, and the right side, z first."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, "run", f"{HERE}/{name}.json", "--quiet", "--out", out, "--frames", "6", "--set", f"n={n}",
                        "--set", 'outputs.b={"source": "air.b", "format": "npy", "every": 6}'], check=True)
        lines = open(f"{out}/log.csv").read().split()
        log = dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))
        rate = json.load(open(f"{out}/manifest.json"))["steps_per_second"]
        return int(log["iterations"]), 1 / rate, np.load(f"{out}/b.0006.npy").ravel()


def there(a, b, rounds):
    times = []
    for _ in range(rounds):
        turns = [0]
        begin = time.perf_counter()
        _, info = sl.cg(a, b, rtol=1e-6, atol=0, maxiter=5000, callback=lambda x: turns.__setitem__(0, turns[0] + 1))
        times.append(time.perf_counter() - begin)
        if info:
            sys.exit(f"SciPy ended with {info}")
    return turns[0], times


def spread(seconds):
    return f"{1e3 * statistics.median(seconds):.0f} ({1e3 * min(seconds):.0f} to {1e3 * max(seconds):.0f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/sastrugi")
    parser.add_argument("--sizes", default="32,48,64")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    failed = []
    print("| cells | solver | iterations | ms |\n|---|---|---|---|")
    for n in map(int, args.sizes.split(",")):
        rows = [(f"`{solve}`", *[here(args.program, name, n) for _ in range(args.rounds)])
                for solve, name in (("solve", "pressure"), ("solve_cg", "pressure_cg"))]
        for solve, *runs in rows:
            print(f"| {n}³ | {solve} | {runs[-1][0]} | {spread([run[1] for run in runs])} |", flush=True)
        own, _, b = rows[-1][-1]
        turns = {}
        for dtype in (np.float32, np.float64):
            turns[dtype], seconds = there(laplace(n, dtype), b.astype(dtype), args.rounds)
            print(f"| {n}³ | SciPy, {np.dtype(dtype).name} | {turns[dtype]} | {spread(seconds)} |", flush=True)
        wrong = there(laplace(n, np.float32, side=2), b, 1)[0]
        if not abs(turns[np.float32] / own - 1) < 0.05:
            failed.append(f"{n}³: {own} iterations here, {turns[np.float32]} in SciPy")
        if not abs(wrong / own - 1) > 0.05:
            failed.append(f"{n}³: {own} iterations here, {wrong} in SciPy with open sides")
    sys.exit("; ".join(failed))
