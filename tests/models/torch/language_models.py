"""Language models in plain PyTorch, with the names of Hugging Face's and of PyTorch's word_language_model.

Reads requests as JSON from a file. For each, writes initial weights as safetensors and trains from them. Prints as JSON
the shapes of the parameters, and the logits, the losses and the gradients of the first step. Weights are f32 numbers; the
computation is in the requested precision.

    python3 language_models.py REQUESTS
"""
import json
import math
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from weight_file import save


class Conv1D(nn.Module):
    """Hugging Face's Conv1D: a linear layer with the weight [in, out]."""

    def __init__(self, features, inputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, features))
        self.bias = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return x @ self.weight + self.bias


def attend(q, k, v):
    """Causal attention of [n, heads, t, d]."""
    t = q.size(2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    later = torch.ones(t, t, dtype=torch.bool).triu(1)
    return scores.masked_fill(later, float("-inf")).softmax(-1) @ v


def heads_of(x, heads):
    n, t, features = x.shape
    return x.view(n, t, heads, features // heads).transpose(1, 2)


def joined(x):
    n, heads, t, depth = x.shape
    return x.transpose(1, 2).reshape(n, t, heads * depth)


class GptAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c["heads"]
        self.c_attn = Conv1D(3 * c["width"], c["width"])
        self.c_proj = Conv1D(c["width"], c["width"])

    def forward(self, x):
        q, k, v = (heads_of(part, self.heads) for part in self.c_attn(x).chunk(3, dim=-1))
        return self.c_proj(joined(attend(q, k, v)))


class GptMlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c_fc = Conv1D(4 * c["width"], c["width"])
        self.c_proj = Conv1D(c["width"], 4 * c["width"])

    def forward(self, x):
        h = self.c_fc(x)
        h = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        return self.c_proj(h)


class GptBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1 = nn.LayerNorm(c["width"], eps=1e-5)
        self.attn = GptAttention(c)
        self.ln_2 = nn.LayerNorm(c["width"], eps=1e-5)
        self.mlp = GptMlp(c)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(c["vocabulary"], c["width"]),
            "wpe": nn.Embedding(c["context"], c["width"]),
            "h": nn.ModuleList(GptBlock(c) for _ in range(c["layers"])),
            "ln_f": nn.LayerNorm(c["width"], eps=1e-5),
        })
        self.lm_head = nn.Linear(c["width"], c["vocabulary"], bias=False)
        self.lm_head.weight = self.transformer["wte"].weight

    def forward(self, tokens):
        x = self.transformer["wte"](tokens) + self.transformer["wpe"](torch.arange(tokens.size(1)))
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))


class RmsNorm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon))


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def llama3_frequencies(frequencies, scaling):
    """The rule of Llama 3.1, by wavelengths as in Hugging Face's transformers."""
    factor, low, high, context = scaling
    wavelengths = 2 * math.pi / frequencies
    scaled = torch.where(wavelengths > context / low, frequencies / factor, frequencies)
    smooth = (context / wavelengths - low) / (high - low)
    smoothed = (1 - smooth) * scaled / factor + smooth * scaled
    medium = (wavelengths >= context / high) & (wavelengths <= context / low)
    return torch.where(medium, smoothed, scaled)


def rotary(x, base, scaling):
    t, depth = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, depth, 2, dtype=torch.float64) / depth)
    if scaling is not None:
        frequencies = llama3_frequencies(frequencies, scaling)
    angles = torch.outer(torch.arange(t, dtype=torch.float64), frequencies)
    angles = torch.cat((angles, angles), dim=-1)
    return x * angles.cos().to(x.dtype) + rotate_half(x) * angles.sin().to(x.dtype)


class LlamaAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.kv_heads, self.base = c["heads"], c["kvHeads"], c["rotaryBase"]
        self.scaling = c.get("scaling")
        depth = c.get("headDim", c["width"] // c["heads"])
        self.q_proj = nn.Linear(c["width"], self.heads * depth, bias=False)
        self.k_proj = nn.Linear(c["width"], self.kv_heads * depth, bias=False)
        self.v_proj = nn.Linear(c["width"], self.kv_heads * depth, bias=False)
        self.o_proj = nn.Linear(self.heads * depth, c["width"], bias=False)

    def forward(self, x):
        q = rotary(heads_of(self.q_proj(x), self.heads), self.base, self.scaling)
        k = rotary(heads_of(self.k_proj(x), self.kv_heads), self.base, self.scaling)
        v = heads_of(self.v_proj(x), self.kv_heads)
        groups = self.heads // self.kv_heads
        return self.o_proj(joined(attend(q, k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1))))


class LlamaMlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c["width"], c["hidden"], bias=False)
        self.up_proj = nn.Linear(c["width"], c["hidden"], bias=False)
        self.down_proj = nn.Linear(c["hidden"], c["width"], bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn = LlamaAttention(c)
        self.mlp = LlamaMlp(c)
        self.input_layernorm = RmsNorm(c["width"], c["epsilon"])
        self.post_attention_layernorm = RmsNorm(c["width"], c["epsilon"])

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.model = nn.ModuleDict({
            "embed_tokens": nn.Embedding(c["vocabulary"], c["width"]),
            "layers": nn.ModuleList(LlamaBlock(c) for _ in range(c["layers"])),
            "norm": RmsNorm(c["width"], c["epsilon"]),
        })
        self.lm_head = nn.Linear(c["width"], c["vocabulary"], bias=False)

    def forward(self, tokens):
        x = self.model["embed_tokens"](tokens)
        for block in self.model["layers"]:
            x = block(x)
        return self.lm_head(self.model["norm"](x))


class Lstm(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.encoder = nn.Embedding(c["vocabulary"], c["width"])
        self.rnn = nn.LSTM(c["width"], c["hidden"], c["layers"], batch_first=True)
        self.decoder = nn.Linear(c["hidden"], c["vocabulary"])
        if c["tied"]:
            self.decoder.weight = self.encoder.weight

    def forward(self, tokens):
        return self.decoder(self.rnn(self.encoder(tokens))[0])


MODELS = {"gpt": Gpt, "llama": Llama, "lstm": Lstm}


def loss_of(model, tokens, targets):
    logits = model(tokens)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def answer(request):
    torch.manual_seed(request["seed"])
    model = MODELS[request["model"]](request["config"])
    with torch.no_grad():
        # Tests need weights that matter: PyTorch's are close to 0 for some layers, and norms start at 1
        for name, parameter in model.named_parameters():
            deviation = 0.1 if parameter.dim() == 1 else parameter.size(-1) ** -0.5
            parameter.copy_(torch.randn_like(parameter) * deviation + ("norm" in name or "ln_" in name) * 1.0)
    parameters = dict(model.named_parameters())
    save(request["weights"], parameters)
    model = model.to(getattr(torch, request["precision"]))
    if request["optimizer"] == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), lr=request["learningRate"])
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=request["learningRate"], weight_decay=0.1)
    losses, gradients, logits = [], {}, None
    for step, (tokens, targets) in enumerate(zip(request["tokens"], request["targets"])):
        tokens, targets = torch.tensor(tokens), torch.tensor(targets)
        if step == 0:
            with torch.no_grad():
                logits = model(tokens)
        optimizer.zero_grad()
        loss = loss_of(model, tokens, targets)
        loss.backward()
        if step == 0:
            gradients = {name: parameter.grad.flatten().tolist() for name, parameter in model.named_parameters()}
        optimizer.step()
        losses.append(loss.item())
    shapes = {name: list(parameter.shape) for name, parameter in parameters.items()}
    return {"shapes": shapes, "logits": logits.flatten().tolist(), "losses": losses, "gradients": gradients}


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(json.dumps([answer(request) for request in json.load(file)]))
