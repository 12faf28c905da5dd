"""Exports networks to ONNX, and trains them in double precision. Argument: a file with requests { name, folder }."""
import json
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")


class Images(nn.Module):
    """Convolutions with norms, poolings that round up, resizing, and a gate per channel."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8, momentum=0.2), nn.Hardswish())
        self.depthwise = nn.Conv2d(8, 8, 5, padding=2, groups=8)
        self.norm = nn.GroupNorm(2, 8)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 8, 1), nn.Hardsigmoid())
        self.up = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1)
        self.act = nn.PReLU(4)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        x = self.stem(x)
        y = F.leaky_relu(self.norm(self.depthwise(x)), 0.1) + x
        y = F.avg_pool2d(F.max_pool2d(y, 3, 2, ceil_mode=True), 2, 2, ceil_mode=True, count_include_pad=False)
        y = F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False) * self.gate(x)
        y = self.act(F.pad(self.up(y), (1, 0, 0, 1), mode="reflect"))
        return self.fc(y.mean((2, 3)))


class Tokens(nn.Module):
    """A transformer with a causal mask."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.positions = nn.Parameter(0.1 * torch.randn(1, 6, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 24, dropout=0.0, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 20)

    def forward(self, x):
        mask = torch.triu(torch.full((6, 6), float("-inf"), dtype=self.positions.dtype), 1)
        return self.head(self.encoder(self.embedding(x) + self.positions, mask=mask))


class Sequences(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(12, 7, batch_first=True)
        self.head = nn.Linear(7, 20)

    def forward(self, x):
        return self.head(self.gru(self.lstm(self.embedding(x))[0])[0])


STEPS, RATE = 4, 0.05


def answer(request):
    torch.manual_seed(3)
    name = request["name"]
    net = {"images": Images, "tokens": Tokens, "sequences": Sequences}[name]().train()
    x = torch.randn(4, 3, 14, 14) if name == "images" else torch.randint(20, (4, 6))
    y = torch.randint(5, (4,)) if name == "images" else torch.randint(20, (4, 6))
    path = f"{request['folder']}/{name}.onnx"
    torch.onnx.export(
        net, (x,), path, opset_version=request["opset"], input_names=["input"], output_names=["output"],
        dynamic_axes={"input": {0: "batch"}, "output": {0: "batch"}},
        training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False,
    )
    # The exporter has run the model, and the file has the running statistics from then
    net = net.double().train()
    inputs = x.double() if x.is_floating_point() else x
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    losses, gradients = [], {}
    for step in range(STEPS):
        logits = net(inputs)
        loss = F.cross_entropy(logits.transpose(1, 2) if logits.dim() == 3 else logits, y)
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            gradients = {key: p.grad.flatten().tolist() for key, p in net.named_parameters()}
        optimizer.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        after = net(inputs).flatten().tolist()
    return {
        "path": path, "input": x.flatten().tolist(), "target": y.flatten().tolist(),
        "losses": losses, "gradients": gradients, "after": after,
    }


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([answer(request) for request in json.load(file)]))
