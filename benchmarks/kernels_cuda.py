"""The kernels of kernels_simt.py in CUDA C++: the same work by each thread."""

SOURCE = r"""
#define TILE 16
#define THREADS 256
#define BINS 64

extern "C" __global__ void add(const float* x, const float* y, float* out, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, long long n) {
  __shared__ float sa[TILE][TILE], sb[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  long long x = blockIdx.x * (long long)blockDim.x + tx;
  long long y = blockIdx.y * (long long)blockDim.y + ty;
  float total = 0;
  for (long long i = 0; i < n / TILE; ++i) {
    sa[ty][tx] = a[y * n + tx + i * TILE];
    sb[ty][tx] = b[(ty + i * TILE) * n + x];
    __syncthreads();
    for (int j = 0; j < TILE; ++j) total += sa[ty][j] * sb[j][tx];
    __syncthreads();
  }
  c[y * n + x] = total;
}

extern "C" __global__ void block_sums(const float* x, float* out, long long n) {
  __shared__ float shared[THREADS];
  int t = threadIdx.x;
  float total = 0;
  long long step = gridDim.x * (long long)blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + t; i < n; i += step) total += x[i];
  shared[t] = total;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) shared[t] += shared[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, shared[0]);
}

extern "C" __global__ void histogram(const int* keys, int* counts, long long n) {
  __shared__ int bins[BINS];
  int t = threadIdx.x;
  if (t < BINS) bins[t] = 0;
  __syncthreads();
  long long step = gridDim.x * (long long)blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + t; i < n; i += step)
    atomicAdd(&bins[keys[i]], 1);
  __syncthreads();
  if (t < BINS) atomicAdd(&counts[t], bins[t]);
}

extern "C" __global__ void scan(const float* x, float* out, float* totals, long long n) {
  __shared__ float shared[THREADS];
  int t = threadIdx.x;
  long long i = blockIdx.x * (long long)blockDim.x + t;
  float total = i < n ? x[i] : 0;
  shared[t] = total;
  for (int step = 1; step < THREADS; step *= 2) {
    __syncthreads();
    float before = t >= step ? shared[t - step] : 0;
    __syncthreads();
    total += before;
    shared[t] = total;
  }
  if (i < n) out[i] = total;
  if (t == THREADS - 1) totals[blockIdx.x] = total;
}

extern "C" __global__ void transpose(const float* x, float* out, long long n) {
  __shared__ float tile[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  long long bx = blockIdx.x * (long long)TILE, by = blockIdx.y * (long long)TILE;
  tile[ty][tx] = x[(by + ty) * n + bx + tx];
  __syncthreads();
  out[(bx + ty) * n + by + tx] = tile[tx][ty];
}

extern "C" __global__ void mandelbrot(int* out, int turns, long long rows, long long columns) {
  long long x = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  long long y = blockIdx.y * (long long)blockDim.y + threadIdx.y;
  float cr = -2 + 3 * x / (double)columns, ci = -1.5 + 3 * y / (double)rows;
  float zr = 0, zi = 0;
  int n = 0;
  while (n < turns && zr * zr + zi * zi <= 4) {
    float r = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = r;
    ++n;
  }
  out[y * columns + x] = n;
}

extern "C" __global__ void attraction(const float* bodies, float* forces, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2];
  float fx = 0, fy = 0, fz = 0;
  for (long long j = 0; j < n; ++j) {
    float dx = bodies[4 * j] - x, dy = bodies[4 * j + 1] - y, dz = bodies[4 * j + 2] - z;
    float d = dx * dx + dy * dy + dz * dz + 1e-3f;
    float w = bodies[4 * j + 3] / (d * sqrtf(d));
    fx += dx * w;
    fy += dy * w;
    fz += dz * w;
  }
  forces[3 * i] = fx;
  forces[3 * i + 1] = fy;
  forces[3 * i + 2] = fz;
}

extern "C" __global__ void stencil(const float* u, float* out, long long n) {
  long long x = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  long long y = blockIdx.y * (long long)blockDim.y + threadIdx.y;
  long long z = blockIdx.z * (long long)blockDim.z + threadIdx.z;
  if (0 < x && x < n - 1 && 0 < y && y < n - 1 && 0 < z && z < n - 1) {
    long long at = (z * n + y) * n + x;
    float around = u[at - 1] + u[at + 1] + u[at - n] + u[at + n];
    out[at] = around + u[at - n * n] + u[at + n * n] - 6 * u[at];
  }
}
"""
