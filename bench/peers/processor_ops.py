"""Times single ops in PyTorch on one thread of the processor: convolutions and products by oneDNN.

Reads a task per line of stdin: {"op", "inputs": shapes, "outputs": shapes, "attrs"} of an op of bench/kernels.ts.
Writes a line per task: {"cpu": minimum processor time of one run in ms}, or null for an op that it does not know.
All values are f32: PyTorch computes f16 on few processors.
"""

import json
import sys
import time

import torch

F = torch.nn.functional


def product(x, weight):
    """Returns x weight^T by oneDNN, whichever BLAS PyTorch was built with."""
    return lambda: torch._C._nn.mkldnn_linear(x, weight)


def matrices(m, n, k):
    return product(torch.rand(m, k).to_mkldnn(), torch.rand(n, k).to_mkldnn())


def backward(dy, x, weight, attrs, mask):
    options = attrs["stride"], attrs["padding"], attrs["dilation"], False, [0, 0], attrs["groups"], mask
    return lambda: torch.ops.aten.convolution_backward(dy, x, weight, None, *options)


def prepare(op, inputs, outputs, attrs, layout):
    """Returns a function that runs the op once, or None."""
    tensors = [torch.rand(shape) - 0.5 for shape in inputs]
    if layout is not None:
        tensors = [t.contiguous(memory_format=layout) if t.dim() == 4 else t for t in tensors]
    if op == "conv2d":
        x, weight = tensors
        return lambda: F.conv2d(x, weight, None, attrs["stride"], attrs["padding"], attrs["dilation"], attrs["groups"])
    if op == "conv2d_input_grad":
        dy, weight = tensors
        return backward(dy, torch.rand(outputs[0]), weight, attrs, [True, False, False])
    if op == "conv2d_weight_grad":
        x, dy = tensors
        return backward(dy, x, torch.rand(outputs[0]), attrs, [False, True, False])
    if op in ("linear", "linear_input_grad"):
        return matrices(inputs[0][0], outputs[0][-1], inputs[0][-1])
    if op == "linear_weight_grad":
        return matrices(*outputs[0], inputs[0][0])
    if op == "matmul" and len(inputs[0]) == 2:
        return matrices(*outputs[0], inputs[0][0 if attrs["transposeA"] else 1])
    x = tensors[0]
    if op == "relu":
        return lambda: torch.relu(x)
    if op == "add":
        return lambda: torch.add(x, tensors[1])
    if op == "softmax":
        return lambda: torch.softmax(x, -1)
    return None


def cost(run):
    """Returns the minimum processor time of one run over three blocks of at least 30 ms."""
    def block(repeats):
        start = time.process_time()
        for _ in range(repeats):
            run()
        return (time.process_time() - start) * 1000 / repeats

    run()
    repeats = max(1, int(30 / max(block(1), 0.001)))
    return min(block(repeats) for _ in range(3))


torch.set_num_threads(1)
for line in sys.stdin:
    task = json.loads(line)
    times = []
    for layout in (None, torch.channels_last):
        run = prepare(task["op"], task["inputs"], task["outputs"], task["attrs"], layout)
        if run is not None:
            times.append(cost(run))
    print(json.dumps({"cpu": min(times) if times else None}), flush=True)
