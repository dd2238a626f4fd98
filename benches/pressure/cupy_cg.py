"""CuPy's conjugate gradients on the Laplace matrix (CSR, 32-bit floats) of an empty closed box: time of an iteration,
and time to a relative residual. Usage: cupy_cg.py N [N ...]"""
import sys, time
import cupy as cp, cupyx.scipy.sparse as sp, cupyx.scipy.sparse.linalg as sl


def laplace(n):
    e = cp.ones(n, cp.float32)
    d = 2 * e
    d[0] = d[-1] = 1
    line, one = sp.diags([d, -e[:-1], -e[:-1]], [0, 1, -1], format="csr"), sp.identity(n, cp.float32, format="csr")
    plane = sp.kron(one, line) + sp.kron(line, one)
    return (sp.kron(sp.identity(n, cp.float32), plane) + sp.kron(line, sp.identity(n * n, cp.float32))).tocsr().astype(cp.float32)


for n in map(int, sys.argv[1:]):
    a = laplace(n)
    half = cp.random.default_rng(1).random(n ** 3 // 2, cp.float32) - cp.float32(0.5)
    b = cp.concatenate([half, -half[::-1]])
    for most in (50, 50):
        cp.cuda.Device().synchronize(); start = time.perf_counter()
        sl.cg(a, b, rtol=0, maxiter=most)
        cp.cuda.Device().synchronize(); each = (time.perf_counter() - start) / most
    turns = [0]
    cp.cuda.Device().synchronize(); start = time.perf_counter()
    x, info = sl.cg(a, b, rtol=1e-6, maxiter=5000, callback=lambda x: turns.__setitem__(0, turns[0] + 1))
    cp.cuda.Device().synchronize()
    print(f"cupy n {n} iteration {each * 1e6:.1f} us, to 1e-6: {turns[0]} iterations, {time.perf_counter() - start:.4f} s, info {info}", flush=True)
