"""Computes the same by tinygrad on the GPU, to which it talks by the driver alone, and by NumPy on the CPU, and compares every value.

One argument: which part. Writes a line for each comparison: `equal NAME` or `differs NAME: HOW`.
"""

import sys

import numpy
from tinygrad import Context, Device, Tensor, TinyJit, dtypes, nn

# How far a result may be off, relative to the largest: some units in the last place for each step of a computation.
TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-11}

random = numpy.random.default_rng(1)


def values(*shape, low=-4.0, high=4.0, dtype="float32"):
    """Numbers that are neither all alike nor too large to compute with."""
    if numpy.dtype(dtype).kind in "iu":
        return random.integers(0 if numpy.dtype(dtype).kind == "u" else -100, 100, shape).astype(dtype)
    return random.uniform(low, high, shape).astype(dtype)


def compare(name, gpu, cpu, tolerance=None):
    """`gpu` is a function that gives a tensor, or several; `cpu` what they are to be."""
    print("begins", name, flush=True)
    try:
        results = gpu()
        results = results if isinstance(results, (tuple, list)) else [results]
        references = cpu if isinstance(cpu, (tuple, list)) else [cpu]
        assert len(results) == len(references), f"{len(results)} results instead of {len(references)}"
        for result, reference in zip(results, references):
            ours, reference = result.numpy(), numpy.asarray(reference)
            assert ours.shape == reference.shape, f"shape {ours.shape} instead of {reference.shape}"
            if ours.dtype.kind != "f":
                numpy.testing.assert_array_equal(ours, reference)
                continue
            largest = max(1.0, float(numpy.abs(reference[numpy.isfinite(reference)]).max(initial=0)))
            within = tolerance or TOLERANCE[ours.dtype.name]
            numpy.testing.assert_allclose(ours, reference, rtol=within, atol=within * largest)
    except Exception as error:  # What a part cannot do is told, and the next comparison made.
        print(f"differs {name}: {type(error).__name__} {' '.join(str(error).split())[:300]}", flush=True)
    else:
        print(f"equal {name}", flush=True)


def elementwise():
    for shape in [(7,), (64, 33), (3, 5, 257)]:
        a, b = values(*shape), values(*shape)
        positive = numpy.abs(a) + 0.25
        x, y, p = Tensor(a), Tensor(b), Tensor(positive)
        for name, gpu, cpu in [
            ("add", lambda: x + y, a + b),
            ("mul", lambda: x * y, a * b),
            ("div", lambda: x / p, a / positive),
            ("maximum", lambda: x.maximum(y), numpy.maximum(a, b)),
            ("where", lambda: (x > y).where(x, 2 * y), numpy.where(a > b, a, 2 * b)),
            ("exp", lambda: x.exp(), numpy.exp(a)),
            ("log", lambda: p.log(), numpy.log(positive)),
            ("sqrt", lambda: p.sqrt(), numpy.sqrt(positive)),
            ("sin", lambda: x.sin(), numpy.sin(a)),
            ("tanh", lambda: x.tanh(), numpy.tanh(a)),
            ("sigmoid", lambda: x.sigmoid(), 1 / (1 + numpy.exp(-a))),
            ("relu", lambda: x.relu(), numpy.maximum(a, 0)),
            ("pow", lambda: p.pow(1.5), positive**1.5),
            ("floor", lambda: x.floor(), numpy.floor(a)),
            ("compare", lambda: x < y, a < b),
        ]:
            compare(f"{name} {shape}", gpu, cpu, 1e-4 if name in ("pow", "sin") else None)


def types():
    for dtype in ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]:
        a, b = values(1000, dtype=dtype), values(1000, dtype=dtype)
        x, y = Tensor(a), Tensor(b)
        compare(f"add {dtype}", lambda: x + y, a + b)
        compare(f"mul {dtype}", lambda: x * y, a * b)
        compare(f"xor {dtype}", lambda: x ^ y, a ^ b)
        compare(f"max {dtype}", lambda: x.max(), a.max())
        compare(f"to float {dtype}", lambda: x.cast(dtypes.float32), a.astype("float32"))
    for dtype in ["float16", "float64"]:
        a, b = values(1000, dtype=dtype), values(1000, dtype=dtype)
        x, y = Tensor(a), Tensor(b)
        compare(f"add {dtype}", lambda: x + y, a + b)
        compare(f"mul {dtype}", lambda: x * y, a * b)
        compare(f"to float {dtype}", lambda: x.cast(dtypes.float32), a.astype("float32"))
        compare(f"to int {dtype}", lambda: x.cast(dtypes.int32), a.astype("int32"))


def reductions():
    for shape in [(1000,), (37, 129), (4, 65, 70)]:
        a = values(*shape)
        x = Tensor(a)
        wide = a.astype("float64")
        for axis in [None, *range(len(shape))]:
            of = f"{shape} axis {axis}"
            compare(f"sum {of}", lambda: x.sum(axis), wide.sum(axis), 1e-4)
            compare(f"mean {of}", lambda: x.mean(axis), wide.mean(axis), 1e-4)
            compare(f"max {of}", lambda: x.max(axis), a.max(axis))
            compare(f"var {of}", lambda: x.var(axis), wide.var(axis, ddof=1), 1e-4)
        compare(f"argmax {shape}", lambda: x.argmax(-1), a.argmax(-1))
        compare(f"cumsum {shape}", lambda: x.cumsum(-1), wide.cumsum(-1), 1e-4)
        shifted = numpy.exp(wide - wide.max(-1, keepdims=True))
        compare(f"softmax {shape}", lambda: x.softmax(-1), shifted / shifted.sum(-1, keepdims=True), 1e-4)


def movement():
    a = values(12, 30, 8)
    x = Tensor(a)
    for name, gpu, cpu in [
        ("permute", lambda: x.permute(2, 0, 1), a.transpose(2, 0, 1)),
        ("reshape", lambda: x.reshape(40, 72), a.reshape(40, 72)),
        ("flip", lambda: x.flip(1), a[:, ::-1]),
        ("slice", lambda: x[3:9, ::3, -2:], a[3:9, ::3, -2:]),
        ("pad", lambda: x.pad(((1, 2), None, (0, 3))), numpy.pad(a, ((1, 2), (0, 0), (0, 3)))),
        ("cat", lambda: x.cat(2 * x, dim=1), numpy.concatenate([a, 2 * a], 1)),
        ("gather", lambda: x[Tensor([5, 0, 11, 5])], a[[5, 0, 11, 5]]),
        ("repeat", lambda: x.repeat((2, 1, 3)), numpy.tile(a, (2, 1, 3))),
    ]:
        compare(name, lambda gpu=gpu: gpu().contiguous(), cpu)
    order = random.permutation(500).astype("int32")
    compare("sort", lambda: Tensor(order).sort()[0], numpy.sort(order))


def matmul():
    for dtype in ["float32", "float16", "float64"]:
        for m, n, k in [(1, 1, 64), (17, 33, 65), (64, 64, 64), (128, 96, 256)]:
            a, b = values(m, k, low=-1, high=1, dtype=dtype), values(k, n, low=-1, high=1, dtype=dtype)
            cpu = (a.astype("float64") @ b.astype("float64")).astype(dtype)
            compare(f"{dtype} {m}x{n}x{k}", lambda: Tensor(a) @ Tensor(b), cpu, {"float16": 2e-2, "float32": 1e-4}.get(dtype))
    a, b = values(5, 20, 30), values(5, 30, 10)
    compare("batch", lambda: Tensor(a) @ Tensor(b), a @ b, 1e-4)
    image, kernel = values(2, 3, 16, 16), values(4, 3, 3, 3)
    windows = numpy.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(2, 3))
    compare("conv2d", lambda: Tensor(image).conv2d(Tensor(kernel)), numpy.einsum("nchwij,ocij->nohw", windows, kernel), 1e-4)


def training():
    """Steps of a network of two layers, with what NumPy's derivatives give."""
    inputs, targets = values(64, 10, low=-1, high=1), values(64, 3, low=-1, high=1)
    weights = [values(10, 32, low=-0.5, high=0.5), values(32, 3, low=-0.5, high=0.5)]
    tensors = [Tensor(weight) for weight in weights]
    optimizer = nn.optim.SGD(tensors, lr=0.05)

    @TinyJit
    def step(x, y):
        optimizer.zero_grad()
        loss = (((x @ tensors[0]).relu() @ tensors[1] - y) ** 2).mean()
        loss.backward()
        # In one go: the loss is that of the weights before the step.
        return loss.realize(*optimizer.schedule_step())

    first, second = (weight.astype("float64") for weight in weights)
    with Context(TRAINING=1):
        for number in range(6):
            hidden = numpy.maximum(inputs @ first, 0)
            error = hidden @ second - targets
            slope = 2 * error / error.size
            gradients = [inputs.T @ ((slope @ second.T) * (hidden > 0)), hidden.T @ slope]
            compare(f"loss {number}", lambda: step(Tensor(inputs).realize(), Tensor(targets).realize()), (error**2).mean(), 1e-4)
            first, second = first - 0.05 * gradients[0], second - 0.05 * gradients[1]
            compare(f"weights {number}", lambda: tensors, [first, second], 1e-4)


PARTS = {part.__name__: part for part in [elementwise, types, reductions, movement, matmul, training]}

if __name__ == "__main__":
    assert Device.DEFAULT.startswith("AMD"), Device.DEFAULT
    with numpy.errstate(all="ignore"):
        PARTS[sys.argv[1]]()
