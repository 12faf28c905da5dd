"""Models of images: torchvision's, and a U-Net in plain PyTorch with the names of milesial/Pytorch-UNet.

Reads requests as JSON from a file. For each, writes initial weights as safetensors and trains from them with SGD. Prints as
JSON the logits in inference before and after, the losses, and the gradients of the first step. Weights are f32 numbers; the
computation is in double precision.

    python3 vision_models.py REQUESTS
"""
import json
import sys
from array import array

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.models import mobilenet_v2, mobilenetv3, vision_transformer
from weight_file import save


def layers(**modules):
    """A module with named parts, applied by the caller."""
    return nn.ModuleDict(modules)


def double_conv(inputs, inner, outputs):
    parts = []
    for a, b in ((inputs, inner), (inner, outputs)):
        parts += [nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU()]
    return layers(double_conv=nn.Sequential(*parts))


class UNet(nn.Module):
    def __init__(self, inputs, classes, channels, depth, bilinear):
        super().__init__()
        self.depth = depth
        self.inc = double_conv(inputs, channels, channels)
        self.outc = layers(conv=nn.Conv2d(channels, classes, 1))
        for level in range(depth):
            width = channels * 2**level
            wider = width if bilinear and level == depth - 1 else 2 * width
            conv = double_conv(width, wider, wider)
            self.add_module(f"down{level + 1}", layers(maxpool_conv=nn.Sequential(nn.MaxPool2d(2), conv)))
            up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            if not bilinear:
                up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
            narrow = width // 2 if bilinear and level > 0 else width
            self.add_module(f"up{depth - level}", layers(up=up, conv=double_conv(2 * width, width, narrow)))

    def forward(self, x):
        skips = [self.inc["double_conv"](x)]
        for level in range(self.depth):
            pool, conv = getattr(self, f"down{level + 1}")["maxpool_conv"]
            skips.append(conv["double_conv"](pool(skips[-1])))
        y = skips.pop()
        for i in range(self.depth):
            up = getattr(self, f"up{i + 1}")
            skip, y = skips.pop(), up["up"](y)
            rows, columns = (skip.size(d) - y.size(d) for d in (2, 3))
            y = F.pad(y, (columns // 2, columns - columns // 2, rows // 2, rows - rows // 2))
            y = up["conv"]["double_conv"](torch.cat((skip, y), 1))
        return self.outc["conv"](y)


def vit(c):
    sizes = (c["image"], c["patch"], c["layers"], c["heads"], c["width"], c["hidden"])
    return vision_transformer.VisionTransformer(*sizes, num_classes=c["classes"])


def v2(c):
    stages = [[s["expansion"], s["channels"], s["blocks"], s["stride"]] for s in c["stages"]]
    model = mobilenet_v2(num_classes=c["classes"], width_mult=c["width"], inverted_residual_setting=stages)
    model.classifier[0].p = 0.0
    return model


def v3(c):
    settings, last = mobilenetv3._mobilenet_v3_conf(f"mobilenet_v3_{c['size']}", width_mult=c["width"])
    model = mobilenetv3.MobileNetV3(settings, last, num_classes=c["classes"])
    model.classifier[2].p = 0.0
    return model


def unet(c):
    return UNet(c["inputs"], c["classes"], c["channels"], c["depth"], c["up"] == "bilinear")


MODELS = {"vit": vit, "mobilenetV2": v2, "mobilenetV3": v3, "unet": unet}


def inference(model, x):
    model.eval()
    with torch.no_grad():
        return model(x).flatten().tolist()


def answer(request):
    torch.manual_seed(1)
    model = MODELS[request["model"]](request["config"])
    with torch.no_grad():
        # Some parameters start at 0
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)
        # Running statistics that differ from their initial values show in inference
        for name, state in model.named_buffers():
            if "running" in name:
                state.add_(torch.rand_like(state) * 0.1)
    save(request["weights"], model.state_dict())
    model = model.double()
    values = array("f")
    with open(request["inputs"], "rb") as file:
        values.frombytes(file.read())
    inputs = torch.tensor(values, dtype=torch.float64).reshape(-1, *request["shape"])
    targets = torch.tensor(request["targets"]).reshape(len(inputs), request["shape"][0], *request["places"])
    before = inference(model, inputs[0])
    optimizer = torch.optim.SGD(model.parameters(), lr=request["learningRate"], momentum=0.9)
    model.train()
    losses, gradients = [], {}
    for step, (x, target) in enumerate(zip(inputs, targets)):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        if step == 0:
            gradients = {name: parameter.grad.flatten().tolist() for name, parameter in model.named_parameters()}
        optimizer.step()
        losses.append(loss.item())
    return {"before": before, "losses": losses, "gradients": gradients, "after": inference(model, inputs[0])}


with open(sys.argv[1]) as file:
    print(json.dumps([answer(request) for request in json.load(file)]))
