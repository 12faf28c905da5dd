"""Speed of PyTorch's DataLoader with one worker: images per second of processor time, of the process and its worker.

Usage: dataloader.py FOLDER. Prints JSON.
"""
import json
import os
import sys

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
from torchvision.datasets import ImageFolder

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
CIFAR = ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))


class Cifar(Dataset):
    """Images of CIFAR's size, as torchvision's CIFAR10 serves them."""

    def __init__(self, images):
        self.data = numpy.random.default_rng(1).integers(0, 256, (images, 32, 32, 3), dtype=numpy.uint8)
        self.transform = transforms.Compose([
            transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(),
            transforms.ToTensor(), transforms.Normalize(*CIFAR),
        ])

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.transform(Image.fromarray(self.data[index])), index % 10


class Repeated(Dataset):
    """A data set several times, so that the start of the worker counts little."""

    def __init__(self, base, times):
        self.base, self.times = base, times

    def __len__(self):
        return len(self.base) * self.times

    def __getitem__(self, index):
        return self.base[index % len(self.base)]


def processor():
    return sum(os.times()[:4])


def images_per_second(dataset, batch):
    torch.set_num_threads(1)
    best = 0
    for _ in range(3):
        before = processor()
        count = 0
        for images, _ in DataLoader(dataset, batch, shuffle=True, num_workers=1, drop_last=True):
            count += len(images)
        best = max(best, count / (processor() - before))
    return best


photos = ImageFolder(sys.argv[1], transforms.Compose([
    transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(),
    transforms.ToTensor(), transforms.Normalize(*IMAGENET),
]))
print(json.dumps({
    "jpeg": images_per_second(Repeated(photos, 4), 32),
    "cifar": images_per_second(Cifar(20000), 128),
}))
