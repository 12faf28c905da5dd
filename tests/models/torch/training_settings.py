"""Trains a small network with schedules, clipping, parameter groups and averages, for training_settings_torch_test.ts."""
import json
import sys

import torch
from torch.nn import functional as F
from torch.optim import lr_scheduler as schedulers
from torch.optim.swa_utils import AveragedModel


def network(weights):
    layers = torch.nn.Sequential()
    layers.add_module("fc1", torch.nn.Linear(5, 7))
    layers.add_module("norm", torch.nn.LayerNorm(7))
    layers.add_module("tanh", torch.nn.Tanh())
    layers.add_module("fc2", torch.nn.Linear(7, 3))
    layers = layers.double()
    with torch.no_grad():
        for name, parameter in layers.named_parameters():
            parameter.copy_(torch.tensor(weights[name], dtype=torch.float64).reshape(parameter.shape))
    return layers


def scheduler_of(optimizer, spec, rate):
    if spec is None:
        return None
    kind, warmup = spec["kind"], spec.get("warmup", 0)
    if kind == "oneCycle":
        return schedulers.OneCycleLR(
            optimizer, max_lr=[group["lr"] for group in optimizer.param_groups], total_steps=spec["steps"],
            pct_start=float(spec["pctStart"]), anneal_strategy=spec["anneal"], div_factor=spec["divFactor"],
            final_div_factor=spec["finalDivFactor"], cycle_momentum=False)
    if kind == "constant":
        after = schedulers.LambdaLR(optimizer, lambda step: 1.0)
    elif kind == "step":
        after = schedulers.StepLR(optimizer, spec["stepSize"], spec["gamma"])
    else:
        after = schedulers.CosineAnnealingLR(optimizer, spec["steps"] - warmup, eta_min=spec["minFactor"] * rate)
    if warmup == 0:
        return after
    rise = schedulers.LinearLR(optimizer, spec["warmupStart"], total_iters=warmup)
    return schedulers.SequentialLR(optimizer, [rise, after], milestones=[warmup])


def answer(request):
    model = network(request["weights"])
    spec = request["optimizer"]
    rate, decay = spec["learningRate"], spec["weightDecay"]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    others = [p for p in model.parameters() if p.dim() > 1]
    groups = model.parameters()
    if request["groups"]:
        groups = [{"params": others}, {"params": vectors, "weight_decay": 0.0, "lr": 0.5 * rate}]
    if spec["kind"] == "sgd":
        optimizer = torch.optim.SGD(groups, lr=rate, momentum=spec["momentum"], weight_decay=decay)
    else:
        optimizer = torch.optim.AdamW(groups, lr=rate, weight_decay=decay)
    scheduler = scheduler_of(optimizer, request["schedule"], rate)
    kept = request["decay"]
    averaged = None if kept is None else AveragedModel(model, avg_fn=lambda a, p, n: kept * a + (1 - kept) * p)
    losses, rates, norms, skipped = [], [], [], []
    for inputs, targets in zip(request["inputs"], request["targets"]):
        optimizer.zero_grad()
        data = torch.tensor(inputs, dtype=torch.float16 if request["half"] else torch.float64).double()
        loss = F.cross_entropy(model(data.reshape(4, 5)), torch.tensor(targets))
        loss.backward()
        rates.append(optimizer.param_groups[0]["lr"])
        # As GradScaler: a gradient that is not finite skips the optimizer, and what follows it
        finite = all(torch.isfinite(p.grad).all() for p in model.parameters())
        skipped.append(not finite)
        losses.append(loss.item() if finite else None)
        if not finite:
            continue
        if request["clipNorm"] is not None:
            norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), request["clipNorm"]).item())
        optimizer.step()
        if scheduler is not None and len(losses) < len(request["inputs"]):
            scheduler.step()
        if averaged is not None:
            averaged.update_parameters(model)
    values = lambda module: {name: p.flatten().tolist() for name, p in module.named_parameters()}
    return {"losses": losses, "rates": rates, "norms": norms, "skipped": skipped, "parameters": values(model),
            "averages": None if averaged is None else values(averaged.module)}


with open(sys.argv[1]) as file:
    print(json.dumps([answer(request) for request in json.load(file)]))
