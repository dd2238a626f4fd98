"""Times transforms here and, if CuPy is installed, by cuFFT on the same device, and prints a table for docs/fft.md: medians of the
sums of the passes, forward only.

    python3 benches/fft/measure.py [--program target/release/sastrugi] [--only 4096x4096,512x512x512]
"""
import argparse, json, os, statistics, subprocess, tempfile

# Cells, transformed axes, real.
CASES = {"4096x4096": (None, False), "256x256x256": (None, False), "512x512x512": (None, False), "512x512x512 real": (None, True)}
CASES |= {f"{1 << k}x{1 << 26 - k}": ("x", False) for k in range(8, 23, 2)}
CASES |= {f"{n}x{(1 << 26) // n}": ("x", False) for n in (1000, 1920, 3 ** 7, 7 ** 6, 10007)}


def here(program, cells, axes, real):
    channel = {"type": "float" if real else "vec2", "background": 0}
    grids = {"a": {"cells": cells, "cell_size": 1, "channels": {"v": channel}}}
    entry = {"set": "b.v" if real else "a.v", "to": f"fft(a.v, {axes})" if axes else "fft(a.v)"}
    if real:
        half = [cells[0] // 2 + 1, *cells[1:]]
        grids["b"] = {"cells": half, "cell_size": 1, "channels": {"v": {"type": "vec2", "background": 0}}}
    values = {"one": f"{'b' if real else 'a'}.v[{', '.join('0' for _ in cells)}].x"}
    spec = {"run": {"dt": 1, "frames": 3, "steps_per_frame": 10}, "grids": grids, "step": [entry],
            "outputs": {"log": {"format": "csv", "values": values}}}
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "fft.json")
        with open(path, "w") as file:
            json.dump(spec, file)
        subprocess.run([program, "run", path, "--quiet", "--out", f"{out}/run"], check=True)
        manifest = json.load(open(f"{out}/run/manifest.json"))
    return [1e3 * row["median_ms"] for row in manifest["stage_gpu_ms"] if row["stage"].startswith("fft_")]


def by_cufft(cells, axes, real):
    import cupy
    import cupyx.scipy.fft as transforms
    shape = tuple(reversed(cells))
    along = (len(shape) - 1,) if axes else tuple(range(len(shape)))
    values = cupy.zeros(shape, cupy.float32 if real else cupy.complex64)
    plan = transforms.get_fft_plan(values, axes=along, value_type="R2C" if real else "C2C")
    if real:
        run = lambda: transforms.rfftn(values, axes=along, plan=plan)
    else:
        run = lambda: transforms.fftn(values, axes=along, overwrite_x=True, plan=plan)
    times = []
    for _ in range(25):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(1e3 * cupy.cuda.get_elapsed_time(start, end))
    return statistics.median(times[5:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/sastrugi")
    parser.add_argument("--only", default=",".join(CASES))
    options = parser.parse_args()
    try:
        import cupy  # noqa: F401
        peer = True
    except ImportError:
        peer = False
    print("| values (first axis first) | passes, us | sum, us | cuFFT, us | ratio |\n|---|---|---|---|---|")
    for name in options.only.split(","):
        axes, real = CASES[name]
        cells = [int(side) for side in name.split()[0].split("x")]
        passes = here(options.program, cells, axes, real)
        row = [name + (", along the first" if axes else ""), " + ".join(f"{time:.0f}" for time in passes), f"{sum(passes):.0f}"]
        if peer:
            other = by_cufft(cells, axes, real)
            row += [f"{other:.0f}", f"{sum(passes) / other:.2f}"]
        else:
            row += ["-", "-"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
