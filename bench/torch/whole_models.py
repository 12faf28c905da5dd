"""Published models at full size in PyTorch: torchvision's, and GPT-2 124M as in tests/models/torch.

Writes to FOLDER the weights, inputs, classes, and in double precision the logits in inference and the gradients of the first
step. Prints as JSON the number of parameters, the losses, and how far f32 is from f64.

    python3 whole_models.py NAME FOLDER STEPS [VOCABULARY TOKENS]
"""
import ctypes
import json
import os
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/models/torch"))
from language_models import Gpt  # noqa: E402
from weight_file import save  # noqa: E402

name, folder, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])


def bytes_of(tensor):
    values = tensor.contiguous()
    return ctypes.string_at(values.data_ptr(), values.numel() * values.element_size())


def write(file, tensor):
    with open(os.path.join(folder, file), "wb") as out:
        out.write(bytes_of(tensor))


def create():
    """Returns the model and random batches of two images, or of one sequence of tokens."""
    if name == "gpt2":
        vocabulary, tokens = int(sys.argv[4]), int(sys.argv[5])
        model = Gpt({"layers": 12, "heads": 12, "width": 768, "context": 1024, "vocabulary": vocabulary})
        for parameter_name, parameter in model.named_parameters():
            if parameter_name.endswith("weight") and "ln_" not in parameter_name:
                torch.nn.init.normal_(parameter, std=0.02)
        return model, torch.randint(vocabulary, (steps, 1, tokens)), torch.randint(vocabulary, (steps, 1, tokens))
    import torchvision

    model = getattr(torchvision.models, name)()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model, torch.randn(steps, 2, 3, 224, 224), torch.randint(1000, (steps, 2))


def train(model, inputs, targets):
    """Returns logits in inference, the losses of some steps of SGD, and the gradients of the first."""
    model.eval()
    with torch.no_grad():
        logits = model(inputs[0])
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    losses, gradients = [], {}
    for step in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs[step]).flatten(0, -2), targets[step].flatten())
        loss.backward()
        if step == 0:
            gradients = {key: parameter.grad.clone() for key, parameter in model.named_parameters()}
        optimizer.step()
        losses.append(loss.item())
    return logits, losses, gradients


def distance(some, exact):
    """Norm of the differences as a part of the norm."""
    squares = sum(((a.double() - b) ** 2).sum().item() for a, b in zip(some, exact))
    return (squares / sum((b**2).sum().item() for b in exact)) ** 0.5


torch.manual_seed(3)
model, inputs, targets = create()
with torch.no_grad():
    # Some parameters start at 0, and running statistics at the same value
    for parameter in model.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.005)
    for key, state in model.named_buffers():
        if "running" in key:
            state.add_(torch.rand_like(state) * 0.1)
state = {key: value.clone() for key, value in model.state_dict().items() if key != "lm_head.weight"}
save(os.path.join(folder, "weights.safetensors"), state)
write("inputs.bin", inputs if inputs.is_floating_point() else inputs.int())
write("targets.bin", targets.int())
single = train(model, inputs, targets)
model.load_state_dict(state, strict=False)
model = model.double()
exact = train(model, inputs.double() if inputs.is_floating_point() else inputs, targets)
write("logits.bin", exact[0])
save(os.path.join(folder, "gradients.safetensors"), exact[2])
print(json.dumps({
    "torch": torch.__version__,
    "parameters": sum(parameter.numel() for parameter in model.parameters()),
    "losses": exact[1],
    "float32": {
        "logits": ((single[0].double() - exact[0]).abs().max() / exact[0].abs().max()).item(),
        "gradients": distance(single[2].values(), exact[2].values()),
        "loss": max(abs(a - b) / b for a, b in zip(single[1], exact[1])),
    },
}))
