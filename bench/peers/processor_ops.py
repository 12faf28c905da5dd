"""Times single ops in PyTorch on one thread of the processor: convolutions and products by oneDNN.

Reads a task per line of stdin: {"op", "inputs": shapes, "outputs": shapes, "attrs"} of an op of bench/kernels.ts.
Writes a line per task: {"cpu": minimum processor time of one run in ms}, or null for an op that it does not know.
All values are f32: PyTorch computes f16 on few processors.
"""

import json
import math
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
    if op == "matmul":
        *batch, m, n = outputs[0]
        k = inputs[0][-2 if attrs["transposeA"] else -1]
        products = [matrices(m, n, k) for _ in range(math.prod(batch))]
        return lambda: [run() for run in products]
    return memory_bound(op, tensors, outputs, attrs, layout)


REDUCTIONS = {
    "reduce_sum": torch.sum,
    "reduce_mean": torch.mean,
    "reduce_max": torch.amax,
    "log_sum_exp": torch.logsumexp,
}


def memory_bound(op, tensors, outputs, attrs, layout):
    """Returns a function that runs an op other than a product, by PyTorch's own kernels, or None."""
    aten = torch.ops.aten
    x = tensors[0]
    if op in REDUCTIONS:
        return lambda: REDUCTIONS[op](x, attrs["axes"])
    if op in ("max_pool2d", "max_pool2d_grad"):
        window = attrs["kernel"], attrs["stride"], attrs["padding"], [1, 1], False
        if op == "max_pool2d":
            return lambda: F.max_pool2d(x, *window[:3])
        indices = aten.max_pool2d_with_indices(tensors[1], *window)[1]
        return lambda: aten.max_pool2d_with_indices_backward(x, tensors[1], *window, indices)
    if op == "batch_norm":
        gamma, beta, mean, variance = tensors[1:]
        return lambda: F.batch_norm(x, mean, variance, gamma, beta, True, attrs["momentum"], attrs["epsilon"])
    if op == "flatten":  # a view of images whose channels are planes
        return None if layout is None else lambda: x.flatten(1).contiguous()
    if op in ("gather", "embedding", "scatter_add"):
        rows = (attrs.get("shape") or x.shape)[0]
        indices = torch.randint(rows, tensors[1].shape)
        if op == "scatter_add":
            return lambda: aten.embedding_dense_backward(x, indices, rows, -1, False)
        return lambda: F.embedding(indices, x)
    if op.startswith("layer_norm"):
        return layer_norm(op, tensors)
    if attrs.get("mask") is not None:
        return None
    runs = {
        "relu": lambda: torch.relu(x),
        "add": lambda: torch.add(x, tensors[1]),
        "argmax": lambda: torch.argmax(x, attrs["axes"][0]),
        "bias_grad": lambda: x.sum((0, 2, 3)),
        "gelu": lambda: F.gelu(x, approximate=attrs["approximate"]),
        "transpose": lambda: x.permute(attrs["axes"]).contiguous(),
        "softmax": lambda: torch.softmax(x, -1),
        "softmax_grad": lambda: aten._softmax_backward_data(x, tensors[1], -1, torch.float32),
        "log_softmax": lambda: torch.log_softmax(x, -1),
        "log_softmax_grad": lambda: aten._log_softmax_backward_data(x, tensors[1], -1, torch.float32),
    }
    return runs.get(op)


def layer_norm(op, tensors):
    """Returns a function that runs a layer norm over the last axis, or a part of its gradient."""
    aten = torch.ops.aten
    if op == "layer_norm":
        x, gamma, beta = tensors
        return lambda: F.layer_norm(x, x.shape[-1:], gamma, beta)
    dy, x = tensors[:2]
    gamma = torch.ones(x.shape[-1])
    _, mean, scale = aten.native_layer_norm(x, x.shape[-1:], gamma, gamma, 1e-5)
    mask = [True, False, False] if op == "layer_norm_grad" else [False, True, False]
    return lambda: aten.native_layer_norm_backward(dy, x, x.shape[-1:], mean, scale, gamma, gamma, mask)


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
