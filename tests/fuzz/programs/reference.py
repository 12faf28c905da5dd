"""Runs a drawn program (draw.ts) in PyTorch, in f64 and in f32, and prints loss and gradients of both as JSON.

    python3 reference.py REQUEST.json
"""

import json
import math
import sys

import torch
import torch.nn.functional as F


def with_axes(function):
    return lambda x, a: function(x, a["axes"], keepdim=a["keepDims"])


def padded(x, a):
    widths = [width for pair in reversed(a["widths"]) for width in pair]
    return F.pad(x, widths, value=a["value"])


def triangle(function):
    def apply(x, a):
        kept = function(torch.ones(x.shape[-2:]), a["diagonal"]) > 0
        return torch.where(kept, x, torch.tensor(float(a["fill"]), dtype=x.dtype))

    return apply


def cumulated(x, a):
    axis = a["axis"]
    return x.flip(axis).cumsum(axis).flip(axis) if a["reverse"] else x.cumsum(axis)


def indices(a):
    return torch.tensor(a["indices"]).reshape(a["shape"])


def taken(x, a):
    axis, shape = a["axis"], list(x.shape)
    rows = x.index_select(axis, torch.tensor(a["indices"]))
    return rows.reshape(shape[:axis] + a["shape"] + shape[axis + 1 :])


def attention(q, k, v, a):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if a["causal"]:
        later = torch.ones(scores.shape[-2:]).tril() == 0
        scores = scores.masked_fill(later, float("-inf"))
    return scores.softmax(-1) @ v


OPS = {
    "neg": lambda x, a: -x,
    "abs": lambda x, a: x.abs(),
    "sin": lambda x, a: x.sin(),
    "cos": lambda x, a: x.cos(),
    "erf": lambda x, a: x.erf(),
    "sqrt": lambda x, a: (x * x + 0.1).sqrt(),
    "rsqrt": lambda x, a: (x * x + 0.5).rsqrt(),
    "log": lambda x, a: (x * x + 0.5).log(),
    "exp": lambda x, a: torch.minimum(x, torch.ones((), dtype=x.dtype)).exp(),
    "square": lambda x, a: x * x,
    "power": lambda x, a: (x.abs() + 0.5) ** 1.5,
    "clamp": lambda x, a: x.clamp(-1, 1.5),
    "scale": lambda x, a: x * 0.7,
    "from_one": lambda x, a: 1 - x,
    "relu": lambda x, a: F.relu(x),
    "relu6": lambda x, a: F.relu6(x),
    "gelu": lambda x, a: F.gelu(x),
    "gelu_tanh": lambda x, a: F.gelu(x, approximate="tanh"),
    "silu": lambda x, a: F.silu(x),
    "tanh": lambda x, a: x.tanh(),
    "sigmoid": lambda x, a: x.sigmoid(),
    "elu": lambda x, a: F.elu(x),
    "softplus": lambda x, a: F.softplus(x),
    "hard_swish": lambda x, a: F.hardswish(x),
    "hard_sigmoid": lambda x, a: F.hardsigmoid(x),
    "leaky_relu": lambda x, a: F.leaky_relu(x),
    "add": lambda x, y, a: x + y,
    "sub": lambda x, y, a: x - y,
    "mul": lambda x, y, a: x * y,
    "div": lambda x, y, a: x / (y * y + 0.5),
    "maximum": lambda x, y, a: torch.maximum(x, y),
    "minimum": lambda x, y, a: torch.minimum(x, y),
    "where": lambda x, y, a: torch.where(x > y, x * 2, y),
    "sum": with_axes(torch.sum),
    "mean": with_axes(torch.mean),
    "max": with_axes(torch.amax),
    "min": with_axes(torch.amin),
    "log_sum_exp": with_axes(torch.logsumexp),
    "softmax": lambda x, a: x.softmax(a["axis"]),
    "log_softmax": lambda x, a: x.log_softmax(a["axis"]),
    "cumsum": cumulated,
    "reshape": lambda x, a: x.reshape(a["shape"]),
    "transpose": lambda x, a: x.permute(a["axes"]),
    "slice": lambda x, a: x[tuple(slice(*bounds) for bounds in a["ranges"])],
    "pad": padded,
    "concat": lambda *xs: torch.cat(xs[:-1], xs[-1]["axis"]),
    "stack": lambda *xs: torch.stack(xs[:-1], xs[-1]["axis"]),
    "split": lambda x, a: x.split(a["sizes"], a["axis"])[a["part"]],
    "expand": lambda x, a: x.expand(a["shape"]),
    "matmul": lambda x, y, a: x @ y / math.sqrt(x.shape[-1]),
    "einsum": lambda x, y, a: torch.einsum(a["equation"], x, y) * 0.3,
    "take": taken,
    "gather": lambda x, a: x.gather(a["axis"], indices(a)),
    "scatter_add": lambda x, y, a: x.scatter_add(a["axis"], indices(a), y),
    "tril": triangle(torch.tril),
    "triu": triangle(torch.triu),
    "attention": attention,
    "max_pool2d": lambda x, a: F.max_pool2d(x, 2, a["stride"], a["padding"]),
    "avg_pool2d": lambda x, a: F.avg_pool2d(x, 2, a["stride"], a["padding"]),
    "adaptive_avg_pool2d": lambda x, a: F.adaptive_avg_pool2d(x, a["size"]),
    "upsample": lambda x, a: F.interpolate(
        x, scale_factor=2, mode=a["mode"], **({"align_corners": a["alignCorners"]} if a["mode"] == "bilinear" else {})
    ),
}

# Ops with parameters, which get `weight` and `bias`, each a tensor or None
LAYERS = {
    "linear": lambda x, w, b, a: F.linear(x, w, b),
    "layer_norm": lambda x, w, b, a: F.layer_norm(x, x.shape[-1:], w, b),
    "rms_norm": lambda x, w, b, a: x * (x.pow(2).mean(-1, keepdim=True) + 1.1920929e-7).rsqrt() * w,
    "conv2d": lambda x, w, b, a: F.conv2d(x, w, b, a["stride"], a["padding"], a["dilation"], a["groups"]),
    "batch_norm": lambda x, w, b, a: F.batch_norm(x, None, None, w, b, True),
    "instance_norm": lambda x, w, b, a: F.instance_norm(x, weight=w, bias=b),
    "prelu": lambda x, w, b, a: F.prelu(x, w),
}


def run(program, tensors, dtype):
    parameters = {
        name: torch.tensor(t["data"], dtype=torch.float64).to(dtype).reshape(t["shape"]).requires_grad_(True)
        for name, t in tensors["parameters"].items()
    }
    results, read = [], set()
    for number, instruction in enumerate(program):
        op, attrs = instruction["op"], instruction["attrs"]
        inputs = [results[place] for place in instruction["inputs"]]
        read.update(instruction["inputs"])
        name = f"op{number}"
        if op == "input":
            result = torch.tensor(tensors["input"], dtype=torch.float64).to(dtype).reshape(instruction["shape"])
        elif op == "parameter":
            result = parameters[name]
        elif op in LAYERS:
            result = LAYERS[op](*inputs, parameters.get(f"{name}.weight"), parameters.get(f"{name}.bias"), attrs)
        else:
            result = OPS[op](*inputs, attrs)
        assert list(result.shape) == instruction["shape"], f"{name} {op}: {list(result.shape)}"
        results.append(result)
    loss = sum((x * torch.sin(x + number)).mean() for number, x in enumerate(results) if number not in read)
    loss.backward()
    zeros = lambda parameter: torch.zeros_like(parameter)
    slopes = {name: (zeros(p) if p.grad is None else p.grad).flatten().tolist() for name, p in parameters.items()}
    return {"loss": float(loss.detach()), "gradients": slopes}


torch.set_num_threads(1)
with open(sys.argv[1]) as file:
    requests = json.load(file)
answers = [[run(one["program"], one, dtype) for dtype in (torch.float64, torch.float32)] for one in requests]
print(json.dumps(answers))
