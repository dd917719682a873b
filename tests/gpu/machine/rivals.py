"""Times the same sum as one product of complex matrices: by cuBLAS, and by PyTorch, each where it is installed.

A separable sum of `born` is F[xy, z] = sum over t of A[xy, 2t] B[2t, z] + A[xy, 2t+1] B[2t+1, z]: the numerator
q.n has a part of x and y and a part of z. So rows x z q and t records take a product with 2t inner terms.
"""
import ctypes
import os
import time

RECORDS, DEPTH = 2048, 1024  # records of a product, z


def library(variable, names):
    """A shared library by the path in an environment variable, else by its usual names; None."""
    for name in [os.environ[variable]] if os.environ.get(variable) else names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


class Cublas:
    """C = A B of complex floats or doubles on the device, column major, by cublas?gemm_v2."""

    def __init__(self):
        self.cuda = library("FACET_CUDART_LIBRARY", ("libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0",
                                                     "/usr/local/cuda/lib64/libcudart.so"))
        self.blas = library("FACET_CUBLAS_LIBRARY", ("libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                                     "/usr/local/cuda/lib64/libcublas.so"))
        if not self.cuda or not self.blas:
            raise RuntimeError(f"{'libcudart.so' if not self.cuda else 'libcublas.so'} is not here")
        self.handle = ctypes.c_void_p()
        self.check("cublasCreate", self.blas.cublasCreate_v2(ctypes.byref(self.handle)))

    @staticmethod
    def check(what, code):
        if code:
            raise RuntimeError(f"{what} returned {code}")

    def allocate(self, values, count, number):
        """`count` complex numbers on the device: `values`, again and again."""
        at, size = ctypes.c_void_p(), count * 2 * ctypes.sizeof(number)
        self.check("cudaMalloc", self.cuda.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(size)))
        block = (number * (2 * min(count, 1 << 20)))(*(v for k in range(min(count, 1 << 20)) for v in values[k % len(values)]))
        for begin in range(0, size, ctypes.sizeof(block)):
            part = min(size - begin, ctypes.sizeof(block))
            self.check("cudaMemcpy", self.cuda.cudaMemcpy(ctypes.c_void_p(at.value + begin), block, ctypes.c_size_t(part), 1))
        return at

    def multiply(self, number, m, n, k, a, b, c):
        one, zero = (number * 2)(1, 0), (number * 2)(0, 0)
        gemm = self.blas.cublasCgemm_v2 if number is ctypes.c_float else self.blas.cublasZgemm_v2
        self.check("gemm", gemm(self.handle, 0, 0, m, n, k, one, a, m, b, k, zero, c, m))

    def wait(self):
        self.check("cudaDeviceSynchronize", self.cuda.cudaDeviceSynchronize())

    def free(self, *memory):
        for at in memory:
            self.cuda.cudaFree(at)

    def is_right(self, number):
        """Whether a small product is what it is by hand."""
        m, n, k, values = 3, 2, 5, [(0.5 + 0.25 * i, 1 - 0.125 * i) for i in range(15)]
        a, b, c = (self.allocate(values, count, number) for count in (m * k, k * n, m * n))
        self.multiply(number, m, n, k, a, b, c)
        self.wait()
        got = (number * (2 * m * n))()
        self.check("cudaMemcpy", self.cuda.cudaMemcpy(got, c, ctypes.c_size_t(ctypes.sizeof(got)), 2))
        self.free(a, b, c)
        left, right = [complex(*v) for v in values], [complex(*v) for v in values[:k * n]]
        return all(abs(complex(got[2 * (i + m * j)], got[2 * (i + m * j) + 1]) - sum(left[i + m * t] * right[t + k * j] for t in range(k))) < 1e-4
                   for i in range(m) for j in range(n))

    def speed(self, number, rows):
        """Records times q a second of a product, its tables being there; the least of three."""
        values = [(0.1 * (i % 7) - 0.3, 0.2 - 0.05 * (i % 5)) for i in range(35)]
        m, n, k = rows, min(DEPTH, rows), min(2 * RECORDS, rows)
        memory = [self.allocate(values, count, number) for count in (m * k, k * n, m * n)]
        least = least_seconds(lambda: (self.multiply(number, m, n, k, *memory), self.wait()))
        self.free(*memory)
        return m * n * (k // 2) / least


def least_seconds(work):
    work()
    least = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least


def cublas(rows):
    try:
        blas = Cublas()
    except (RuntimeError, AttributeError) as error:
        return [f"cuBLAS: not run here: {error}"], 0, 0
    speeds = []
    try:
        for number, name in ((ctypes.c_float, "f32"), (ctypes.c_double, "f64")):
            if not blas.is_right(number):
                return [f"cuBLAS: FAILED, a small product of class {name} is wrong"], 0, 1
            speeds.append(f"{name} {blas.speed(number, rows) / 1e12:.3g}")
    except (RuntimeError, AttributeError) as error:
        return [f"cuBLAS: FAILED: {error}"], 0, 1
    return [f"cuBLAS, the product alone, its tables made before: {', '.join(speeds)}"], 1, 0


def pytorch(rows):
    """Tables made on the device from random records and q, then multiplied."""
    try:
        import torch
    except ImportError:
        return ["PyTorch: not run here: it is not installed"], 0, 0
    where = os.environ.get("FACET_TORCH_DEVICE", "cuda")
    if where == "cuda" and not torch.cuda.is_available():
        return ["PyTorch: not run here: it sees no CUDA"], 0, 0
    wait = torch.cuda.synchronize if where == "cuda" else lambda: None
    torch.backends.cuda.matmul.allow_tf32 = False
    speeds = []
    for real, name in ((torch.float32, "f32"), (torch.float64, "f64")):
        m, n, t = rows, min(DEPTH, rows), min(RECORDS, rows)
        random = lambda *shape: torch.rand(*shape, dtype=real, device=where)
        q, z, centre, normal = random(m, 2), random(n), random(3, t), random(3, t)

        def tables():
            row = torch.polar(torch.ones(m, t, dtype=real, device=where), q @ centre[:2])
            column = torch.polar(torch.ones(t, n, dtype=real, device=where), torch.outer(centre[2], z))
            return torch.cat((row * (q @ normal[:2]), row * normal[2]), 1), torch.cat((column, column * z), 0)

        a, b = tables()
        product = least_seconds(lambda: (a @ b, wait()))
        both = least_seconds(lambda: (torch.matmul(*tables()), wait()))
        speeds.append(f"{name} {m * n * t / product / 1e12:.3g}, with its tables {m * n * t / both / 1e12:.3g}")
    return [f"PyTorch {torch.__version__}, torch.matmul of complex tables on {where}: {'; '.join(speeds)}"], 1, 0


def compare(runs, _, __, wanted):
    title = "## The same sum as a product of matrices"
    forced = os.environ.get("FACET_CUBLAS_LIBRARY") or os.environ.get("FACET_TORCH_DEVICE")
    if not wanted.rivals_size or not (forced or runs.target.startswith("cuda")):
        return f"{title}\n\nNot run: {'it is for CUDA' if wanted.rivals_size else 'not asked for'}.", 0, 0
    parts = [part(wanted.rivals_size) for part in (cublas, pytorch)]
    lines = [f"- {line}" for p in parts for line in p[0]]
    return "\n".join([title, "", "`born`, separable, complex tables with two factors a record, in 10^12 records times q a second.", "", *lines]), sum(
        p[1] for p in parts), sum(p[2] for p in parts)
