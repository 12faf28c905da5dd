"""Exports networks with parameters and buffers in unusual places, and trains them. Argument: a file with requests."""
import json
import math
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")


class Scales(nn.Module):
    """Scalars that are learned: slopes, factors, and the bias of one output."""

    def __init__(self):
        super().__init__()
        self.add_module("block1-0", nn.Linear(6, 8))
        self.one = nn.PReLU()
        self.act = nn.PReLU(5)
        self.gamma = nn.Parameter(1e-1 * torch.ones(8))
        self.alpha = nn.Parameter(torch.ones(1))
        self.rezero = nn.Parameter(torch.tensor(0.5))
        self.inner = nn.Linear(8, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        x = self.one(getattr(self, "block1-0")(x))
        x = x + self.gamma * self.inner(self.act(x))
        x = F.gelu(x) * self.alpha + self.rezero * x
        return self.head(x)


class Normalized(nn.Module):
    """Buffers that normalise the input and the output, under names that tell nothing and names that do."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a0", torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1))
        self.register_buffer("a1", torch.tensor([0.2, 0.3, 0.25]).view(1, 3, 1, 1))
        self.register_buffer("y_mean", torch.tensor(0.3))
        self.register_buffer("y_std", torch.tensor([1.5]))
        self.conv = nn.Conv2d(3, 6, 3, bias=False)
        self.norm = nn.GroupNorm(2, 6)
        self.plain = nn.InstanceNorm2d(6)
        self.batch = nn.BatchNorm2d(6)
        self.free = nn.BatchNorm2d(6, affine=False)
        self.fc = nn.Linear(6, 1)

    def forward(self, x):
        x = (x - self.a0) / self.a1
        x = self.free(self.batch(self.plain(self.norm(self.conv(x))).relu() + self.conv(x)))
        return self.fc(x.mean((2, 3))) * self.y_std + self.y_mean


class Attention(nn.Module):
    """A class token, learned positions and queries, beside fixed positions, masks, scales and rotations."""

    def __init__(self, opset):
        super().__init__()
        d, t = 8, 7
        self.embed = nn.Linear(6, d)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        self.learned = nn.Parameter(0.1 * torch.randn(1, t, d))
        at, rate = torch.arange(t)[:, None], torch.exp(-math.log(100) * torch.arange(0, d, 2) / d)
        fixed = torch.zeros(1, t, d)
        fixed[0, :, 0::2], fixed[0, :, 1::2] = torch.sin(at * rate), torch.cos(at * rate)
        self.register_buffer("fixed", fixed)
        angles = torch.cat([at * rate, at * rate], 1)
        self.register_buffer("turn0", angles.cos())
        self.register_buffer("turn1", angles.sin())
        self.register_buffer("causal", torch.triu(torch.full((t, t), float("-inf")), 1))
        self.register_buffer("keep", (torch.arange(d) % 4 != 3).float())
        self.register_buffer("factor", torch.tensor(d ** -0.5))
        self.queries = nn.Parameter(torch.randn(1, 3, d))
        self.qkv, self.q, self.kv = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 2 * d)
        self.norm, self.bare = nn.LayerNorm(d), nn.LayerNorm(d, elementwise_affine=False)
        self.head = nn.Linear(d, 1)

    def turn(self, x):
        a, b = x.chunk(2, -1)
        return x * self.turn0 + torch.cat([-b, a], -1) * self.turn1

    def forward(self, x):
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), self.embed(x)], 1) + self.learned + self.fixed
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        scores = self.turn(q) @ self.turn(k).transpose(1, 2) * self.factor + self.causal
        x = self.bare(x + (scores.softmax(-1) @ v) * self.keep)
        k, v = self.kv(x).chunk(2, -1)
        q = self.q(self.queries).expand(x.shape[0], -1, -1) * self.factor
        return self.head((q @ k.transpose(1, 2)).softmax(-1) @ v)


class Tied(nn.Module):
    """An embedding that is the head too, with weight normalisation and a bias that is subtracted."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.pos = nn.Embedding(6, 8)
        self.register_buffer("position_ids", torch.arange(6)[None])
        self.inner = nn.utils.weight_norm(nn.Linear(8, 8))
        self.centre = nn.Parameter(torch.randn(8))
        self.head = nn.Linear(8, 12, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x):
        x = self.embedding(x) + self.pos(self.position_ids)
        return self.head(torch.tanh(self.inner(x)) - self.centre).mean(-1, keepdim=True)


class Centres(nn.Module):
    """Distances from learned points, behind a learned gate of the input."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.ones(6))
        self.centres = nn.Parameter(torch.randn(4, 6))
        self.width = nn.Parameter(torch.tensor(0.7))
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        x = (x * self.gate).unsqueeze(-2)
        return self.out(torch.exp(-self.width.exp() * ((x - self.centres) ** 2).sum(-1)))


NETS = {
    "scales": (lambda opset: Scales(), (5, 6)),
    "normalized": (lambda opset: Normalized(), (3, 9, 9)),
    "attention": (Attention, (6, 6)),
    "tied": (lambda opset: Tied(), (6,)),
    "centres": (lambda opset: Centres(), (5, 6)),
}
STEPS, RATE = 10, 0.05


def answer(request):
    torch.manual_seed(5)
    name, opset = request["name"], request["opset"]
    make, shape = NETS[name]
    net = make(opset).train()
    x = torch.randint(12, (4, *shape)) if name == "tied" else torch.randn(4, *shape)
    path = f"{request['folder']}/{name}{opset}{request['folded']}.onnx"
    mode = torch.onnx.TrainingMode.EVAL if request["folded"] else torch.onnx.TrainingMode.TRAINING
    torch.onnx.export(
        net, (x,), path, opset_version=opset, input_names=["input"], output_names=["output"], training=mode,
        do_constant_folding=request["folded"], keep_initializers_as_inputs=request.get("asInputs", False),
    )
    net = net.double().train()
    x = x.double() if x.is_floating_point() else x
    with torch.no_grad():
        y = torch.randn(net(x).shape)
    # The exporter and the line above have run the model
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    losses = []
    for _ in range(STEPS):
        loss = F.mse_loss(net(x), y.double())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {
        "path": path, "input": x.flatten().tolist(), "target": y.flatten().tolist(), "output": list(y.shape[1:]),
        "losses": losses, "parameters": [key for key, _ in net.named_parameters()],
        "buffers": [key for key, _ in net.named_buffers()],
    }


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([answer(request) for request in json.load(file)]))
