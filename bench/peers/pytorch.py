"""Tasks that bench/torch.ts runs in PyTorch 1.13 or newer: `pytorch.py JSON` prints one line of JSON.

{"do": "about"}            version and devices
{"do": "net", ...}         a block of training steps of a residual network: NetTask in torch_net.ts
{"do": "kernels", ...}     times of single kernels: torch_kernels.ts
"""
import contextlib
import json
import statistics
import struct
import sys
import time

import torch
from torch import nn


# torchvision's networks, and the paper's networks for CIFAR-10 with shortcuts of option B


def conv(inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class Basic(nn.Module):
    expansion = 1

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, channels, 3, stride), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = conv(channels, channels, 3), nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = shortcut(inputs, channels, stride)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += self.downsample(x)
        return self.relu(y)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, channels, stride):
        super().__init__()
        outputs = channels * self.expansion
        self.conv1, self.bn1 = conv(inputs, channels, 1), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = conv(channels, channels, 3, stride), nn.BatchNorm2d(channels)
        self.conv3, self.bn3 = conv(channels, outputs, 1), nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = shortcut(inputs, outputs, stride)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += self.downsample(x)
        return self.relu(y)


def shortcut(inputs, outputs, stride):
    if stride == 1 and inputs == outputs:
        return nn.Identity()
    return nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))


def resnet(depth, classes):
    imagenet = {18: (Basic, [2, 2, 2, 2]), 34: (Basic, [3, 4, 6, 3]), 50: (Bottleneck, [3, 4, 6, 3])}
    block, stages = imagenet.get(depth, (Basic, [(depth - 2) // 6] * 3))
    width = 64 if depth in imagenet else 16
    net = nn.Sequential()
    net.add_module("conv1", conv(3, width, 7, 2) if depth in imagenet else conv(3, width, 3))
    net.add_module("bn1", nn.BatchNorm2d(width))
    net.add_module("relu", nn.ReLU(inplace=True))
    if depth in imagenet:
        net.add_module("maxpool", nn.MaxPool2d(3, 2, 1))
    inputs = width
    for stage, blocks in enumerate(stages):
        layer = nn.Sequential()
        for i in range(blocks):
            layer.add_module(str(i), block(inputs, width << stage, 2 if i == 0 and stage > 0 else 1))
            inputs = (width << stage) * block.expansion
        net.add_module(f"layer{stage + 1}", layer)
    net.add_module("avgpool", nn.AdaptiveAvgPool2d(1))
    net.add_module("flatten", nn.Flatten())
    net.add_module("fc", nn.Linear(inputs, classes))
    return net


def read_safetensors(file):
    with open(file, "rb") as source:
        (size,) = struct.unpack("<Q", source.read(8))
        header = json.loads(source.read(size))
        values = bytearray(source.read())
    types = {"F32": torch.float32, "I32": torch.int32}
    return {
        name: torch.frombuffer(values, dtype=types[entry["dtype"]], offset=begin, count=(end - begin) // 4)
        .reshape(entry["shape"])
        for name, entry in header.items()
        for begin, end in [entry["data_offsets"]]
    }


def load(net, tensors):
    missing, unexpected = net.load_state_dict(tensors, strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or unexpected:
        raise SystemExit(f"The nets differ: only PyTorch's has {missing}, only Tacho's has {unexpected}")


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def resident():
    """Returns the peak memory of the process, in bytes."""
    import resource  # not available on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def grad_scaler():
    return torch.amp.GradScaler("cuda") if hasattr(torch.amp, "GradScaler") else torch.cuda.amp.GradScaler()


def train(task):
    device, amp = task["device"], task["precision"] == "amp"
    cuda = device == "cuda"
    tensors = read_safetensors(task["start"])
    x, y = tensors.pop("input"), tensors.pop("target").long()
    form = torch.channels_last if task["channelsLast"] else torch.contiguous_format
    torch.zeros(1, device=device)
    synchronize(device)
    before = 0 if cuda else resident()
    begun = time.perf_counter()
    net = resnet(task["depth"], task["classes"])
    load(net, tensors)
    net = net.to(device=device, memory_format=form).train()
    x, y = x.to(device=device, memory_format=form), y.to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(
        net.parameters(), lr=task["learningRate"], momentum=task["momentum"], weight_decay=task["weightDecay"]
    )
    scaler = grad_scaler() if amp else None

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16) if amp else contextlib.nullcontext():
            loss = criterion(net(x), y)
        if scaler is None:
            loss.backward()
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        return loss.detach()

    losses = [step()]
    losses[0].item()
    first_loss = time.perf_counter() - begun
    losses += [step() for _ in range(max(1, task["skip"] - 1))]
    synchronize(device)
    if cuda:
        torch.cuda.reset_peak_memory_stats()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        events[0].record()
    start = time.perf_counter()
    losses += [step() for _ in range(task["steps"])]
    if cuda:
        events[1].record()
    synchronize(device)
    wall = time.perf_counter() - start
    return {
        "parameters": sum(parameter.numel() for parameter in net.parameters()),
        "step": 1000 * wall / task["steps"],
        "device": events[0].elapsed_time(events[1]) / task["steps"] if cuda else None,
        "firstLoss": 1000 * first_loss,
        "memory": torch.cuda.max_memory_allocated() if cuda else resident() - before,
        "losses": [loss.item() for loss in losses],
    }


def kernel(case, device, dtype):
    """Returns a function that runs the kernel once."""
    draw = lambda *shape: (torch.rand(*shape, device=device) - 0.5).to(dtype)
    if case["op"] == "matmul":
        a, b = draw(case["size"], case["size"]), draw(case["size"], case["size"])
        return lambda: torch.mm(a, b)
    n, size, stride, padding = case["batch"], case["size"], case["stride"], case["padding"]
    x = draw(n, case["inputs"], size, size)
    weight = draw(case["outputs"], case["inputs"], case["kernel"], case["kernel"])
    if case["channelsLast"]:
        x, weight = (tensor.to(memory_format=torch.channels_last) for tensor in (x, weight))
    forward = lambda: torch.conv2d(x, weight, None, stride, padding)
    if case["op"] == "forward":
        return forward
    dy = torch.rand_like(forward()) - 0.5
    mask = [case["op"] == "input", case["op"] == "weight", False]
    pair = lambda value: [value, value]
    return lambda: torch.ops.aten.convolution_backward(
        dy, x, weight, None, pair(stride), pair(padding), [1, 1], False, [0, 0], 1, mask
    )


def time_kernel(run, device, least):
    """Returns the time of one run in ms: the median over blocks of at least `least` ms."""

    def block(repeats):
        if device == "cuda":
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(repeats):
                run()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end)
        start = time.perf_counter()
        for _ in range(repeats):
            run()
        return 1000 * (time.perf_counter() - start)

    block(2)
    repeats = max(1, round(least / max(block(2) / 2, 1e-3)))
    return statistics.median(block(repeats) / repeats for _ in range(3))


def kernels(task):
    times = {}
    for case in task["cases"]:
        dtype = {"f32": torch.float32, "f16": torch.float16}[case["dtype"]]
        with torch.no_grad():
            run = kernel({**case, "channelsLast": task["channelsLast"]}, task["device"], dtype)
            times[case["name"]] = time_kernel(run, task["device"], task["least"])
    return {"times": times}


def about(_):
    cuda = torch.cuda.is_available()
    return {
        "version": torch.__version__,
        "cuda": torch.cuda.get_device_name() if cuda else None,
        "cudnn": torch.backends.cudnn.version() if cuda else None,
        "threads": torch.get_num_threads(),
    }


torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
task = json.loads(sys.argv[1])
print(json.dumps({"about": about, "net": train, "kernels": kernels}[task["do"]](task)))
