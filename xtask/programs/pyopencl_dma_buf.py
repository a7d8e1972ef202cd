"""Uses cl_khr_external_memory_dma_buf from PyOpenCL: memory of HIP's becomes buffers of PyOpenCL's by a dma-buf, and NumPy computes the same.

One argument: which part. Writes a line for each comparison: `equal NAME` or `differs NAME: HOW`. PyOpenCL has no call of its own that makes a buffer with
properties, so that one and the extension's are called by ctypes, in the library that PyOpenCL uses; all else is PyOpenCL.
"""

import ctypes
import os
import sys

import numpy
import pyopencl as cl
import pyopencl.array

# More than the blocks of 2 MiB that HSA's runtime cuts smaller allocations from.
N = 3 << 18

# Of the specification's cl_ext.h and cl.h.
CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR = 0x2067
CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR = 0x2048
CL_INVALID_PROPERTY = -64

pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
opencl = ctypes.CDLL("libOpenCL.so.1")
create_buffer = opencl.clCreateBufferWithProperties
create_buffer.restype = pointer
create_buffer.argtypes = [pointer, pointer, ctypes.c_uint64, size, pointer, pointer]
find_function = opencl.clGetExtensionFunctionAddressForPlatform
find_function.restype = pointer
find_function.argtypes = [pointer, ctypes.c_char_p]

hip = ctypes.CDLL("libamdhip64.so.5")
hsa = ctypes.CDLL("libhsa-runtime64.so.1")
hsa.hsa_amd_portable_export_dmabuf.argtypes = [pointer, size, pointer, pointer]


def check(code, what):
    if code != 0:
        raise RuntimeError(f"{what}: error {code}")


def compare(name, got, expected):
    wrong = numpy.flatnonzero(got != expected)
    if got.shape == expected.shape and wrong.size == 0:
        print("equal", name, flush=True)
    else:
        first = f", first {wrong[0]}: {got[wrong[0]]}, not {expected[wrong[0]]}" if wrong.size else ""
        print(f"differs {name}: {wrong.size} of {expected.size} values{first}", flush=True)


class OfHip:
    """Memory of hipMalloc with a dma-buf of it."""

    def __init__(self, values):
        self.values, self.address, self.fd = values, pointer(), number(-1)
        offset = ctypes.c_uint64()
        check(hip.hipMalloc(ctypes.byref(self.address), size(values.nbytes)), "hipMalloc")
        self.write(values)
        check(
            hsa.hsa_amd_portable_export_dmabuf(self.address, values.nbytes, ctypes.byref(self.fd), ctypes.byref(offset)),
            "hsa_amd_portable_export_dmabuf",
        )
        assert offset.value == 0

    def write(self, values):
        check(hip.hipMemcpy(self.address, values.ctypes.data_as(pointer), size(values.nbytes), 1), "hipMemcpy")
        check(hip.hipDeviceSynchronize(), "hipDeviceSynchronize")

    def read(self):
        values = numpy.empty_like(self.values)
        check(hip.hipMemcpy(values.ctypes.data_as(pointer), self.address, size(values.nbytes), 2), "hipMemcpy")
        return values

    def free(self):
        check(hip.hipFree(self.address), "hipFree")


class Side:
    """A context and queue, with what the extension has for them."""

    def __init__(self):
        platforms = [platform for platform in cl.get_platforms() if platform.name.startswith("AMD ")]
        self.device = platforms[0].get_devices(cl.device_type.GPU)[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        kind = ctypes.CFUNCTYPE(number, pointer, ctypes.c_uint, pointer, ctypes.c_uint, pointer, pointer)
        names = b"clEnqueueAcquireExternalMemObjectsKHR", b"clEnqueueReleaseExternalMemObjectsKHR"
        self.enqueue_acquire, self.enqueue_release = [
            kind(find_function(platforms[0].int_ptr, name)) for name in names
        ]

    def import_buffer(self, fd, size_in_bytes):
        """A pyopencl.Buffer of the dma-buf."""
        properties = (ctypes.c_uint64 * 3)(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd & (2**64 - 1), 0)
        code = number()
        made = create_buffer(
            self.context.int_ptr, properties, cl.mem_flags.READ_WRITE, size_in_bytes, None, ctypes.byref(code)
        )
        if not made:
            raise cl.RuntimeError(f"clCreateBufferWithProperties: error {code.value}")
        return cl.MemoryObject.from_int_ptr(made, retain=False)

    def acquire(self, buffer):
        check(self.enqueue_acquire(self.queue.int_ptr, 1, (pointer * 1)(buffer.int_ptr), 0, None, None), "acquire")

    def release(self, buffer):
        """Gives the buffer back, and returns when others may use it."""
        done = pointer()
        code = self.enqueue_release(self.queue.int_ptr, 1, (pointer * 1)(buffer.int_ptr), 0, None, ctypes.byref(done))
        check(code, "release")
        event = cl.Event.from_int_ptr(done.value, retain=False)
        event.wait()
        return event


def queries():
    """What PyOpenCL's own properties say."""
    device = Side().device
    names = device.extensions.split()
    wanted = numpy.array(["cl_khr_external_memory", "cl_khr_external_memory_dma_buf"])
    compare("the device's extensions", numpy.array([name for name in names if name in wanted]), wanted)
    wanted = numpy.array([True, True])
    has = numpy.array([name in device.platform.extensions.split() for name in names if "external_memory" in name])
    compare("the platform's extensions", has, wanted)


def arrays():
    """PyOpenCL's arrays on memory of HIP's."""
    start = numpy.arange(N, dtype=numpy.float32)
    memory, side = OfHip(start), Side()
    buffer = side.import_buffer(memory.fd.value, start.nbytes)
    os.close(memory.fd.value)
    compare("the buffer's size", numpy.array([buffer.size]), numpy.array([start.nbytes]))
    side.acquire(buffer)
    array = pyopencl.array.Array(side.queue, N, numpy.float32, data=buffer)
    compare("HIP's values in an array", array.get(), start)
    array *= 3
    array += 1
    event = side.release(buffer)
    kind = numpy.array([event.command_type])
    compare("the release's event", kind, numpy.array([CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR]))
    compare("an array's values by HIP", memory.read(), start * 3 + 1)
    memory.write(start[::-1].copy())
    side.acquire(buffer)
    compare("HIP's new values in the array", array.get(), start[::-1])
    total = pyopencl.array.sum(pyopencl.array.to_device(side.queue, numpy.ones(8, numpy.float32)))
    compare("an array beside it", numpy.array([total.get()]), numpy.array([8], numpy.float32))
    side.release(buffer)
    memory.free()
    side.acquire(buffer)
    compare("values after HIP freed them", array.get(), start[::-1])


def contexts():
    """Two contexts add in turn to the same numbers."""
    start = numpy.arange(N, dtype=numpy.uint32)
    memory, sides = OfHip(start), [Side(), Side()]
    buffers = [side.import_buffer(memory.fd.value, start.nbytes) for side in sides]
    os.close(memory.fd.value)
    source = "kernel void add(global uint *x, uint by) { x[get_global_id(0)] = x[get_global_id(0)] * 3 + by; }"
    kernels = [cl.Program(side.context, source).build().add for side in sides]
    expected = start
    for turn in range(6):
        side, buffer, kernel = sides[turn % 2], buffers[turn % 2], kernels[turn % 2]
        side.acquire(buffer)
        kernel(side.queue, (N,), None, buffer, numpy.uint32(turn))
        side.release(buffer)
        expected = expected * numpy.uint32(3) + numpy.uint32(turn)
        other = numpy.empty_like(start)
        cl.enqueue_copy(sides[1 - turn % 2].queue, other, buffers[1 - turn % 2])
        compare(f"turn {turn} in the other context", other, expected)
    compare("the turns by HIP", memory.read(), expected)
    for buffer in buffers:
        buffer.release()
    memory.free()


def refusals():
    """What is wrong becomes PyOpenCL's exception, and nothing is lost by it."""
    side = Side()
    for name, fd in [("no descriptor", -1), ("a file", os.open("/dev/null", os.O_RDWR))]:
        try:
            side.import_buffer(fd, 4096)
            said = "imported"
        except cl.RuntimeError as error:
            said = str(error)
        wanted = f"clCreateBufferWithProperties: error {CL_INVALID_PROPERTY}"
        compare(name, numpy.array([said]), numpy.array([wanted]))
    ones = numpy.ones(N, numpy.uint32)
    compare("an array afterwards", (pyopencl.array.to_device(side.queue, ones) + 1).get(), ones + 1)


check(hip.hipInit(0), "hipInit")
{"queries": queries, "arrays": arrays, "contexts": contexts, "refusals": refusals}[sys.argv[1]]()
