// Compares memory layouts of populations: a D3Q19 step with one relaxation time and one copy (Esoteric Pull, Lehmann
// 2022) in plain CUDA, without walls, in a periodic box of n³ cells. A reference for shaders/lbm/stream_collide.glsl.
//
//     nvcc -O3 -arch=sm_90 -o layouts benches/lbm/layouts.cu && ./layouts
//
// Prints a row per layout: millions of cells a second (MLUPs), the best of three times 40 steps (200 at 256³). The fluid is at rest:
// only the speed is measured.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

enum Layout { ENTRIES, SLICES, ROWS, BLOCKS };
const char *const NAMES[] = {"entry after entry", "slices in z, entries in each (as here)", "rows in x, entries in each", "blocks of 128 cells, entries in each"};
const int THREADS = 128, PAIRS = 9;

// The velocities, one of each pair.
__device__ constexpr int CX[PAIRS] = {1, 0, 0, 1, 1, 1, 1, 0, 0};
__device__ constexpr int CY[PAIRS] = {0, 1, 0, 1, -1, 0, 0, 1, 1};
__device__ constexpr int CZ[PAIRS] = {0, 0, 1, 0, 0, 1, -1, 1, -1};

__device__ float seen(float v) { return v; }
__device__ float seen(__half v) { return __half2float(v) * (1.0f / 32768.0f); }
__device__ void store(float *at, float v) { *at = v; }
__device__ void store(__half *at, float v) { *at = __float2half_rn(v * 32768.0f); }

template <class T, int LAYOUT, int N> __device__ T *entry(T *f, int k, int x, int y, int z) {
    const uint64_t cells = uint64_t(N) * N * N;
    if (LAYOUT == SLICES) return f + uint64_t(z) * (19ull * N * N) + uint64_t(k) * (N * N) + (y * N + x);
    if (LAYOUT == ROWS) return f + uint64_t(z * N + y) * (19 * N) + k * N + x;
    unsigned cell = (z * N + y) * N + x;
    if (LAYOUT == BLOCKS) return f + uint64_t(cell / 128) * (19 * 128) + k * 128 + cell % 128;
    return f + k * cells + cell;
}

template <class T, int LAYOUT, int N, int ODD>
__global__ void __launch_bounds__(THREADS) step(T *f, const uint8_t *cell_type, float omega) {
    int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (cell_type[(z * N + y) * N + x] != 0) return;
    auto beside = [](int i, int by) { return by > 0 ? (i + 1 < N ? i + 1 : 0) : by < 0 ? (i > 0 ? i - 1 : N - 1) : i; };
    T *own[PAIRS], *next[PAIRS], *rest = entry<T, LAYOUT, N>(f, 0, x, y, z);
    float a[PAIRS], b[PAIRS], zero = seen(*rest);
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        own[p] = entry<T, LAYOUT, N>(f, 2 * p + 2 - ODD, x, y, z);
        next[p] = entry<T, LAYOUT, N>(f, 2 * p + 1 + ODD, beside(x, CX[p]), beside(y, CY[p]), beside(z, CZ[p]));
        a[p] = seen(*own[p]);
        b[p] = seen(*next[p]);
    }
    float excess = zero, mx = 0, my = 0, mz = 0;
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        excess += a[p] + b[p];
        mx += CX[p] * (a[p] - b[p]);
        my += CY[p] * (a[p] - b[p]);
        mz += CZ[p] * (a[p] - b[p]);
    }
    float over = 1 / (1 + excess), even_rest = excess - 1.5f * over * (mx * mx + my * my + mz * mz);
    store(rest, zero + omega * (even_rest / 3 - zero));
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        float w = p < 3 ? 1 / 18.0f : 1 / 36.0f, cm = CX[p] * mx + CY[p] * my + CZ[p] * mz;
        float even = omega * (w * (4.5f * over * cm * cm + even_rest) - 0.5f * (a[p] + b[p]));
        float odd = omega * (3 * w * cm - 0.5f * (a[p] - b[p]));
        store(next[p], a[p] + even + odd);
        store(own[p], b[p] + even - odd);
    }
}

template <class T, int LAYOUT, int N> double mlups() {
    const size_t cells = size_t(N) * N * N;
    const int steps = N > 256 ? 40 : 200;
    T *f;
    uint8_t *cell_type;
    cudaEvent_t begin, end;
    cudaMalloc(&f, 19 * cells * sizeof(T));
    cudaMalloc(&cell_type, cells);
    cudaMemset(f, 0, 19 * cells * sizeof(T));
    cudaMemset(cell_type, 0, cells);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 1e30f;
    for (int round = 0; round < 3; round++) {
        cudaEventRecord(begin);
        for (int i = 0; i < steps; i += 2) {
            step<T, LAYOUT, N, 0><<<dim3(N / THREADS, N, N), THREADS>>>(f, cell_type, 1.2f);
            step<T, LAYOUT, N, 1><<<dim3(N / THREADS, N, N), THREADS>>>(f, cell_type, 1.2f);
        }
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        best = ms < best ? ms : best;
    }
    cudaFree(f);
    cudaFree(cell_type);
    if (cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
    return cells * double(steps) / best / 1e3;
}

template <int LAYOUT> void row() {
    printf("| %s | %.0f | %.0f | %.0f | %.0f |\n", NAMES[LAYOUT], mlups<float, LAYOUT, 256>(), mlups<float, LAYOUT, 512>(),
           mlups<__half, LAYOUT, 256>(), mlups<__half, LAYOUT, 512>());
    fflush(stdout);
}

int main() {
    printf("| populations | 32 bits, 256³ | 512³ | 16 bits, 256³ | 512³ |\n|---|---|---|---|---|\n");
    row<ENTRIES>();
    row<SLICES>();
    row<ROWS>();
    row<BLOCKS>();
}
