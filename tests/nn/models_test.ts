import assert from "node:assert/strict";
import { layerInfo } from "../../runtime/nn/layer.ts";
import { lenet } from "../../runtime/nn/lenet.ts";
import { mlp } from "../../runtime/nn/mlp.ts";
import { resnet, RESNET_DEPTHS } from "../../runtime/nn/resnet.ts";
import { build, countValues, initializerOf, shapesOf } from "./building.ts";
import { refuses } from "../support/refuses.ts";

Deno.test("resnet 18 has torchvision's parameters in name, order and shape", () => {
  const { parameters, output, graph } = build(resnet({ depth: 18, classes: 1000 }), [2, 3, 224, 224]);
  const block = (name: string) => ["conv1", "bn1", "conv2", "bn2"].map((layer) => `${name}.${layer}`);
  const layers = ["conv1", "bn1"];
  for (const stage of [1, 2, 3, 4]) {
    layers.push(...block(`layer${stage}.0`));
    if (stage > 1) layers.push(`layer${stage}.0.downsample.0`, `layer${stage}.0.downsample.1`);
    layers.push(...block(`layer${stage}.1`));
  }
  const isNorm = (layer: string) => /bn\d$|downsample\.1$/.test(layer);
  const expected = layers.flatMap((layer) =>
    isNorm(layer) ? [`${layer}.weight`, `${layer}.bias`] : [`${layer}.weight`]
  );
  assert.deepEqual([...parameters.keys()], [...expected, "fc.weight", "fc.bias"]);
  assert.deepEqual(parameters.get("conv1.weight"), [64, 3, 7, 7]);
  assert.deepEqual(parameters.get("layer2.0.conv1.weight"), [128, 64, 3, 3]);
  assert.deepEqual(parameters.get("layer2.0.downsample.0.weight"), [128, 64, 1, 1]);
  assert.deepEqual(parameters.get("layer4.1.bn2.bias"), [512]);
  assert.deepEqual(parameters.get("fc.weight"), [1000, 512]);
  const states = [...shapesOf(graph, "state").keys()];
  assert.equal(states.length, 40);
  assert.deepEqual(states.slice(0, 2), ["bn1.running_mean", "bn1.running_var"]);
  assert.ok(states.includes("layer3.0.downsample.1.running_var"));
  assert.deepEqual(output.shape, [2, 1000]);
});

Deno.test("resnet 50 has torchvision's parameters in name and shape", () => {
  const { parameters } = build(resnet({ depth: 50, classes: 1000 }), [2, 3, 224, 224]);
  for (
    const [name, shape] of Object.entries({
      "layer1.0.conv1.weight": [64, 64, 1, 1],
      "layer1.0.conv2.weight": [64, 64, 3, 3],
      "layer1.0.conv3.weight": [256, 64, 1, 1],
      "layer1.0.bn3.weight": [256],
      "layer1.0.downsample.0.weight": [256, 64, 1, 1],
      "layer1.1.conv1.weight": [64, 256, 1, 1],
      "layer3.5.conv3.weight": [1024, 256, 1, 1],
      "layer4.0.downsample.0.weight": [2048, 1024, 1, 1],
      "fc.weight": [1000, 2048],
    })
  ) assert.deepEqual(parameters.get(name), shape, name);
  assert.equal(parameters.has("layer1.1.downsample.0.weight"), false);
});

Deno.test("resnet has the published numbers of parameters", () => {
  const cases = [
    { depth: 18, classes: 1000, image: 224, tensors: 62, values: 11_689_512 },
    { depth: 34, classes: 1000, image: 224, tensors: 110, values: 21_797_672 },
    { depth: 50, classes: 1000, image: 224, tensors: 161, values: 25_557_032 },
    { depth: 101, classes: 1000, image: 224, tensors: 314, values: 44_549_160 },
    { depth: 152, classes: 1000, image: 224, tensors: 467, values: 60_192_808 },
    { depth: 20, classes: 10, image: 32, tensors: 65, values: 272_474 },
    { depth: 32, classes: 10, image: 32, tensors: 101, values: 466_906 },
    { depth: 56, classes: 10, image: 32, tensors: 173, values: 855_770 },
  ];
  for (const { depth, classes, image, tensors, values } of cases) {
    const { parameters } = build(resnet({ depth, classes }), [2, 3, image, image]);
    assert.equal(parameters.size, tensors, `resnet${depth}`);
    assert.equal(countValues(parameters), values, `resnet${depth}`);
  }
});

Deno.test("resnet: the stem determines the size of the first stage", () => {
  const firstStage = (stem: "cifar" | "imagenet") => {
    const { graph } = build(resnet({ depth: 18, classes: 10, stem }), [2, 3, 32, 32]);
    return graph.nodes.find(({ id }) => id === "layer1.0.conv1")!.outputs[0]!.shape;
  };
  assert.deepEqual(firstStage("cifar"), [2, 64, 32, 32]);
  assert.deepEqual(firstStage("imagenet"), [2, 64, 8, 8]);
});

Deno.test("resnet: nodes are named by their layers", () => {
  const { nodes } = build(resnet({ depth: 20, classes: 10 }), [2, 3, 32, 32]);
  assert.deepEqual(nodes.slice(0, 10), [
    "conv1",
    "bn1",
    "relu",
    "layer1.0.conv1",
    "layer1.0.bn1",
    "layer1.0.relu",
    "layer1.0.conv2",
    "layer1.0.bn2",
    "layer1.0.add",
    "layer1.0.relu_1",
  ]);
  assert.deepEqual(nodes.slice(-3), ["avgpool", "flatten", "fc"]);
});

Deno.test("resnet: convolutions are initialised with He's normal distribution by fan-out", () => {
  const built = build(resnet({ depth: 18, classes: 1000 }), [2, 3, 224, 224]);
  assert.deepEqual(initializerOf(built, "conv1.weight"), {
    kind: "normal",
    mean: 0,
    deviation: Math.sqrt(2 / (64 * 49)),
  });
  assert.deepEqual(initializerOf(built, "bn1.weight"), { kind: "constant", value: 1 });
});

Deno.test("resnet: one model can be built into several graphs", () => {
  const model = resnet({ depth: 20, classes: 10 });
  const [train, infer] = [build(model, [4, 3, 32, 32]), build(model, [1, 3, 32, 32], "infer")];
  assert.deepEqual([...train.parameters], [...infer.parameters]);
  assert.deepEqual(train.nodes, infer.nodes);
});

Deno.test("resnet: titles name the depth and an unusual stem", () => {
  assert.equal(layerInfo(resnet({ depth: 20, classes: 10 }))?.title, "resnet20");
  assert.equal(layerInfo(resnet({ depth: 18, classes: 10, stem: "cifar" }))?.title, "resnet18 (cifar stem)");
});

Deno.test("resnet: refuses invalid options and inputs", () => {
  refuses(
    () => resnet({ depth: 19, classes: 10 }),
    `resnet.depth is 19; expected one of ${RESNET_DEPTHS.join(", ")}`,
  );
  refuses(() => resnet({ depth: 18, classes: 0 }), "resnet.classes is 0; expected at least 1");
  refuses(
    () => resnet({ depth: 18, classes: 10, stem: "mnist" as "cifar" }),
    'resnet.stem is "mnist"; expected "cifar" or "imagenet"',
  );
  // the images have shrunk to a pixel in the third stage, where a norm then has one value per channel
  refuses(
    () => build(resnet({ depth: 18, classes: 10 }), [1, 3, 16, 16]),
    /^model: layer "layer3\.0\.bn1": .*\[1, 256, 1, 1\]/,
  );
});

Deno.test("lenet: accepts images of 28x28 and 32x32", () => {
  const small = build(lenet({ classes: 10 }), [4, 1, 28, 28]);
  const large = build(lenet({ classes: 10 }), [4, 3, 32, 32]);
  assert.equal(countValues(small.parameters), 61_706);
  assert.equal(countValues(large.parameters), 62_006);
  assert.deepEqual(small.parameters.get("fc1.weight"), [120, 400]);
  assert.deepEqual(large.output.shape, [4, 10]);
  assert.deepEqual(
    [...small.parameters.keys()],
    ["conv1", "conv2", "fc1", "fc2", "fc3"].flatMap((name) => [
      `${name}.weight`,
      `${name}.bias`,
    ]),
  );
});

Deno.test("mlp: has a linear layer per size", () => {
  const { parameters, nodes } = build(mlp({ hidden: [128, 64], classes: 10, activation: "tanh" }), [4, 1, 28, 28]);
  assert.deepEqual(
    [...parameters],
    Object.entries({
      "fc1.weight": [128, 784],
      "fc1.bias": [128],
      "fc2.weight": [64, 128],
      "fc2.bias": [64],
      "fc3.weight": [10, 64],
      "fc3.bias": [10],
    }),
  );
  assert.deepEqual(nodes, ["flatten", "fc1", "tanh1", "fc2", "tanh2", "fc3"]);
  assert.deepEqual([...build(mlp({ hidden: [], classes: 3 }), [2, 5]).parameters.keys()], ["fc1.weight", "fc1.bias"]);
  refuses(() => mlp({ hidden: [-1], classes: 3 }), "mlp.hidden[0] is -1; expected at least 1");
});
