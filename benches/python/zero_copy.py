#!/usr/bin/env python3
"""Zero copy to CUDA on an NVIDIA device: same addresses, order without host waits, bandwidth, lifetimes, flat memory.

    scripts/wheel && benches/python/zero_copy target/wheels/sastrugi-*.whl     # installs the wheel offline first
    python3 benches/python/zero_copy.py                                        # with an installed package

ROUNDS is the number of rounds of the check of memory (10000). Each line is a check and what it measured; the exit code is the number of checks that failed. Tensors are those of PyTorch,
else of CuPy, else memory that the CUDA driver itself reads and fills (ctypes).
"""

import ctypes
import gc
import os
import sys
import time
import traceback

import numpy as np
import sastrugi

CELLS = [256, 256, 256]
TURNS = 4000
KERNEL = """
#version 460
#include "stage.glsl"
// Slow on purpose: what reads before the end of a step sees old values.
void stage(ivec3 cell) {
    float value = box_f(cell);
    uint x = uint(cell.x);
    for (uint turn = 0; turn < arg.turns; turn++) x = x * 1664525u + 1013904223u;
    set_box_f(cell, value + (x == 0xffffffffu ? 2.0 : 1.0));
}
"""


def spec(cells=CELLS, turns=TURNS):
    channels = {name: {"type": "float", "background": 0} for name in ("f", "g")}
    return {
        "parameters": {"turns": turns},
        "run": {"dt": 1},
        "grids": {"box": {"cells": cells, "cell_size": 1, "channels": channels}},
        "step": [
            {"stage": "add", "over": "box", "reads": ["box.f"], "writes": ["box.f"], "arguments": {"turns": "uint(turns)"}}
        ],
    }


def load(cells=CELLS, turns=TURNS):
    return sastrugi.load(spec(cells, turns), kernels={"add.comp": KERNEL}, share="cuda")


class OfTorch:
    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("torch has no CUDA")
        self.torch, self.name = torch, f"torch {torch.__version__}"
        self.streams = {"default": torch.cuda.current_stream(), "own": torch.cuda.Stream()}

    def within(self, stream):
        return self.torch.cuda.stream(self.streams[stream])

    def tensor(self, field):
        return self.torch.from_dlpack(field)

    def address(self, tensor):
        return tensor.data_ptr()

    def fill(self, tensor, value):
        tensor.fill_(value)

    def copy(self, tensor):
        """A copy on the device, by the current stream."""
        return tensor.clone()

    def host(self, tensor):
        return tensor.cpu().numpy()

    def wait(self):
        self.torch.cuda.synchronize()

    def used(self):
        free, total = self.torch.cuda.mem_get_info()
        return total - free


class OfCupy:
    def __init__(self):
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        self.cupy, self.name = cupy, f"cupy {cupy.__version__}"
        self.streams = {"default": cupy.cuda.Stream.null, "own": cupy.cuda.Stream(non_blocking=True)}

    def within(self, stream):
        return self.streams[stream]

    def tensor(self, field):
        return self.cupy.from_dlpack(field)

    def address(self, tensor):
        return tensor.data.ptr

    def fill(self, tensor, value):
        tensor.fill(value)

    def copy(self, tensor):
        return tensor.copy()

    def host(self, tensor):
        return self.cupy.asnumpy(tensor)

    def wait(self):
        self.cupy.cuda.runtime.deviceSynchronize()

    def used(self):
        free, total = self.cupy.cuda.runtime.memGetInfo()
        return total - free


class OfDriver:
    """Memory and streams of the driver alone."""

    class Tensor:
        def __init__(self, field, stream, cuda):
            # The capsule keeps the memory.
            self.capsule = field.__dlpack__(stream=stream or 1)
            get = ctypes.pythonapi.PyCapsule_GetPointer
            get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            self.pointer = ctypes.cast(get(self.capsule, b"dltensor"), ctypes.POINTER(ctypes.c_uint64))[0]
            self.shape, self.bytes = field.shape, field.nbytes

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.name = "the CUDA driver"
        context, own = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxPushCurrent_v2", context)
        self.call("cuStreamCreate", ctypes.byref(own), 1)
        self.streams, self.stream = {"default": 1, "own": own.value}, 1

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} returned {status}")

    def within(self, stream):
        driver = self

        class Within:
            def __enter__(self):
                self.before, driver.stream = driver.stream, driver.streams[stream]

            def __exit__(self, *error):
                driver.stream = self.before

        return Within()

    def tensor(self, field):
        return OfDriver.Tensor(field, self.stream, self)

    def address(self, tensor):
        return tensor.pointer

    def fill(self, tensor, value):
        bits = int(np.float32(value).view(np.uint32))
        count = ctypes.c_size_t(tensor.bytes // 4)
        self.call("cuMemsetD32Async", ctypes.c_uint64(tensor.pointer), bits, count, ctypes.c_void_p(self.stream))

    def copy(self, tensor):
        copied = OfDriver.Tensor.__new__(OfDriver.Tensor)
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(tensor.bytes))
        copied.pointer, copied.shape, copied.bytes = pointer.value, tensor.shape, tensor.bytes
        self.call(
            "cuMemcpyDtoDAsync_v2",
            ctypes.c_uint64(copied.pointer),
            ctypes.c_uint64(tensor.pointer),
            ctypes.c_size_t(tensor.bytes),
            ctypes.c_void_p(self.stream),
        )
        return copied

    def host(self, tensor):
        self.wait()
        values = np.empty(tensor.shape, np.float32)
        address = values.ctypes.data_as(ctypes.c_void_p)
        self.call("cuMemcpyDtoH_v2", address, ctypes.c_uint64(tensor.pointer), ctypes.c_size_t(tensor.bytes))
        return values

    def wait(self):
        self.call("cuCtxSynchronize")

    def used(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return total.value - free.value


def users():
    found = []
    for kind in (OfTorch, OfCupy, OfDriver):
        try:
            found.append(kind())
        except Exception as error:
            print(f"without {kind.__name__}: {error}")
    return found


def check_addresses(user):
    with load([64, 64, 64], 1) as sim:
        one, two = user.tensor(sim["box.f"]), user.tensor(sim["box.f"])
        assert user.address(one) == user.address(two) == sim._native.memory("box.f", None).address
        assert user.address(one) != user.address(user.tensor(sim["box.g"]))
        sim["box.f"] = 3
        assert np.all(user.host(one) == 3)
        user.fill(one, 7)
        assert np.all(sim["box.f"].read() == 7)
        sim.step()
        sim.wait()
        assert np.all(user.host(two) == 8)
        return f"address {user.address(one):#x}"


def order(user, stream, rounds=6, drops=(False, False)):
    """Rounds of long work and a fill by the stream, a slow step, and a copy by the stream: the number of rounds with wrong
    copies, and the seconds until all was submitted and until all had ended."""
    with load() as sim, user.within(stream):
        tensor = user.tensor(sim["box.f"])
        other = user.copy(tensor)
        sim.step()
        sim.wait()
        user.wait()
        sim._native.drop_waits_of_cuda(*drops)
        began = time.perf_counter()
        copies = []
        for number in range(rounds):
            # Several milliseconds, so that a step that does not wait comes before the fill.
            for _ in range(300):
                user.fill(other, number)
            user.fill(tensor, 100 * number)
            sim.step()
            copies.append(user.copy(tensor))
        submitted = time.perf_counter() - began
        user.wait()
        sim.wait()
        took = time.perf_counter() - began
        wrong = sum(not np.all(user.host(copy) == 100 * number + 1) for number, copy in enumerate(copies))
        return wrong, submitted, took


def check_order(user):
    notes = []
    for stream in ("default", "own"):
        wrong, submitted, took = order(user, stream)
        assert wrong == 0, f"{wrong} wrong copies on the stream {stream}"
        notes.append(f"{stream}: submitted in {1e3 * submitted:.1f} ms, done after {1e3 * took:.1f} ms")
        # Nobody waited on the host: the submissions were done long before the work.
        assert submitted < took / 2, notes
    return "; ".join(notes)


def check_missing_semaphores(user):
    """Controls: an order that is not kept must be noticed."""
    notes = []
    for name, drops in (("waits of streams", (True, False)), ("waits of submissions", (False, True))):
        wrong, _, _ = order(user, "own", drops=drops)
        assert wrong > 0, f"without {name}, all copies are right"
        notes.append(f"without {name}: {wrong} of 6 wrong")
    return "; ".join(notes)


def check_bandwidth(user):
    with load([512, 512, 512], 1) as sim:
        shared = user.tensor(sim["box.f"])
        own = user.copy(shared)
        rates = []
        for tensor in (shared, own):
            user.fill(tensor, 1)
            user.wait()
            began = time.perf_counter()
            for _ in range(50):
                user.fill(tensor, 2)
            user.wait()
            rates.append(50 * sim["box.f"].nbytes / (time.perf_counter() - began) / 1e12)
        assert rates[0] > 0.8 * rates[1], rates
        return f"filling a field {rates[0]:.2f} TB/s, filling memory of CUDA {rates[1]:.2f} TB/s"


def check_sparse(user):
    """A channel of a sparse grid, copied on the device."""
    ask = '#version 460\n#include "stage.glsl"\nvoid stage(ivec3 block) { if (block.x % 2 == 0) request_g_block(block); }\n'
    fill = '#version 460\n#include "stage.glsl"\nvoid stage(ivec3 cell) { set_g_f(cell, float(cell.x + cell.y + cell.z)); }\n'
    grid = {"cells": [256, 256, 256], "cell_size": 1, "sparse": {"block": [16, 16, 16]}}
    spec = {
        "run": {"dt": 1},
        "grids": {"g": {**grid, "channels": {"f": {"type": "float", "background": -1}}}},
        "step": [
            {"stage": "ask", "over": "g.blocks", "requests": ["g"]},
            {"update_grid": "g"},
            {"stage": "fill", "over": "g", "writes": ["g.f"]},
        ],
    }
    with sastrugi.load(spec, kernels={"ask.comp": ask, "fill.comp": fill}, share="cuda") as sim:
        # Requests take effect in a later step.
        sim.step(4)
        tensor = user.tensor(sim["g.f"])
        values = user.host(tensor)
        assert np.array_equal(values, sim["g.f"].read()) and np.any(values == -1) and np.any(values > 500)
        times = []
        for action in (lambda: user.tensor(sim["g.f"]), lambda: sim["g.f"].read()):
            began = time.perf_counter()
            action()
            user.wait()
            times.append(1e3 * (time.perf_counter() - began))
        return f"{values.nbytes / 1e6:.0f} MB on the device in {times[0]:.1f} ms, through the host in {times[1]:.1f} ms"


def check_flat_memory(user, rounds=int(os.environ.get("ROUNDS", 10_000))):
    with load([32, 32, 32], 1) as sim:

        def hand_over(times):
            for _ in range(times):
                tensor = user.tensor(sim["box.f"])
                user.fill(tensor, 1)
                sim.step()
            user.wait()
            sim.wait()

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        hand_over(500)
        gc.collect()
        before = resident(), user.used()
        began = time.perf_counter()
        hand_over(rounds)
        took = time.perf_counter() - began
        gc.collect()
        more = resident() - before[0], user.used() - before[1]
        assert more[0] < 16e6 and more[1] < 16e6, more
        return f"{rounds} rounds, {1e6 * took / rounds:.0f} us each, host +{more[0] / 1e6:.1f} MB, device +{more[1] / 1e6:.1f} MB"


def check_lifetimes(user):
    before = None
    for number in range(12):
        sim = load([128, 128, 128], 1)
        tensor = user.tensor(sim["box.f"])
        user.fill(tensor, 5)
        sim.step(3)
        if number % 2:
            sim.close()
            del sim
            gc.collect()
            assert np.all(user.host(tensor) == 8)
            user.fill(tensor, 9)
            assert np.all(user.host(tensor) == 9)
            del tensor
        else:
            del tensor
            gc.collect()
            sim.step()
            assert np.all(sim["box.f"].read() == 9)
            sim.close()
        gc.collect()
        user.wait()
        if number == 3:
            before = user.used()
    assert user.used() - before < 64e6, (user.used(), before)
    return "tensors first, simulations first"


def check_rebuilt(user):
    """A restored state continues in other memory, with the same streams."""
    with load([64, 64, 64], 1) as sim:
        tensor = user.tensor(sim["box.f"])
        user.fill(tensor, 4)
        sim.step()
        sim.checkpoint("/tmp/zero_copy.checkpoint")
        sim.restore("/tmp/zero_copy.checkpoint")
        again = user.tensor(sim["box.f"])
        user.fill(again, 20)
        sim.step()
        assert np.all(user.host(again) == 21) and np.all(user.host(tensor) == 5)
        return "the old tensor keeps its values"


CHECKS = [
    check_addresses,
    check_order,
    check_missing_semaphores,
    check_bandwidth,
    check_sparse,
    check_flat_memory,
    check_lifetimes,
    check_rebuilt,
]


def main():
    print(*(f"{device.name} ({device.driver})" for device in sastrugi.devices()), sep="; ")
    failed = 0
    found = users()
    if not found:
        print("there is no CUDA")
        return 1
    for user in found:
        for check in CHECKS:
            try:
                print(f"ok     {user.name}: {check.__name__[6:]}: {check(user)}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {user.name}: {check.__name__[6:]}\n{traceback.format_exc()}", flush=True)
    print(f"{failed} checks failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
