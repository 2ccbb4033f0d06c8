"""Copies of real bytes by the driver's own functions, for tests of programs in Python."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
MOST = 1 << 20
context, memory = ctypes.c_void_p(), ctypes.c_uint64()
buffer = ctypes.create_string_buffer(bytes(i * 7 % 251 for i in range(4096)) * (MOST // 4096), MOST)


def must(result):
    assert result == 0, result


def begin():
    must(cuda.cuInit(0))
    must(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    use()
    must(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(MOST)))


def use():
    """To be called on each further thread."""
    must(cuda.cuCtxSetCurrent(context))


def fill(seed):
    """Other bytes in all of the host's buffer."""
    ctypes.memmove(buffer, bytes((i * 7 + seed) % 251 for i in range(4096)) * (MOST // 4096), MOST)


def upload(count, at=0):
    must(cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(memory.value + at), buffer, ctypes.c_size_t(count)))


def download(count):
    must(cuda.cuMemcpyDtoH_v2(buffer, memory, ctypes.c_size_t(count)))


def wait():
    must(cuda.cuCtxSynchronize())
