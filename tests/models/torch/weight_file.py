"""Weights as safetensors."""
import ctypes
import json
import struct


def save(path, tensors):
    """Writes floating-point tensors as f32 and counters as integers."""
    header, parts, offset = {}, [], 0
    for name, tensor in tensors.items():
        floats = tensor.is_floating_point()
        values = tensor.detach().float().contiguous() if floats else tensor.long().contiguous()
        data = ctypes.string_at(values.data_ptr(), values.numel() * values.element_size())
        header[name] = {"dtype": "F32" if floats else "I64", "shape": list(tensor.shape), "data_offsets": [offset, offset + len(data)]}
        parts.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
