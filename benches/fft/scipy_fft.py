"""Times forward transforms here and by scipy.fft with as many threads, on one processor, in turn, and prints a table for docs/fft.md:
medians, in ms, and their ratio.

    python3 benches/fft/scipy_fft.py [--program target/release/sastrugi] [--rounds 3]
"""
import argparse, os, statistics, time

import numpy
import scipy.fft

from measure import here

CASES = {"512x512": ((512, 512), None), "1024x1024": ((1024, 1024), None), "64x64x64": ((64, 64, 64), None),
         "128x128x128": ((128, 128, 128), None), "256x4096, along the first": ((256, 4096), "x"),
         "1000x1024, along the first": ((1000, 1024), "x"), "4096x256, along the first": ((4096, 256), "x")}


def by_scipy(cells, axes):
    values = numpy.random.default_rng(1).standard_normal((*reversed(cells), 2), numpy.float32).view(numpy.complex64)[..., 0]
    along = (values.ndim - 1,) if axes else tuple(range(values.ndim))
    times = []
    for _ in range(12):
        start = time.perf_counter()
        scipy.fft.fftn(values, axes=along, workers=os.cpu_count())
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/sastrugi")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| values | here, ms | SciPy, ms | ratio |\n|---|---|---|---|")
    for name, (cells, axes) in CASES.items():
        pairs = [(sum(here(options.program, list(cells), axes, False)) / 1e3, by_scipy(cells, axes)) for _ in range(options.rounds)]
        own, other = (statistics.median(times) for times in zip(*pairs))
        print(f"| {name} | {own:.2f} | {other:.2f} | {own / other:.1f} |", flush=True)


if __name__ == "__main__":
    main()
