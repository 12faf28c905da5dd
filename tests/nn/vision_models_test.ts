import assert from "node:assert/strict";
import { compileInference } from "../../runtime/compile/compile.ts";
import { type Layer, layerInfo } from "../../runtime/nn/layer.ts";
import { mobilenetV2 } from "../../runtime/nn/mobilenet_v2.ts";
import { mobilenetV3 } from "../../runtime/nn/mobilenet_v3.ts";
import { unet } from "../../runtime/nn/unet.ts";
import { vit, VIT_SIZES } from "../../runtime/nn/vit.ts";
import { optionsOf } from "../compile/programs.ts";
import { build, countValues, initializerOf, multiplyAdds, shapesOf } from "./building.ts";
import { refuses } from "../support/refuses.ts";

/** Figures that torchvision's documentation and counters of multiply-adds give for images of 224x224 and 1000 classes. */
const PUBLISHED: readonly { model: Layer; title: string; parameters: number; multiplyAdds: number }[] = [
  { model: vit({ classes: 1000 }), title: "vit_b_16", parameters: 86_567_656, multiplyAdds: 17_563_828_224 },
  ...([
    ["b_32", 88_224_232, 4_409_186_304],
    ["l_16", 304_326_632, 61_554_712_576],
    ["l_32", 306_535_400, 15_377_539_072],
    ["h_14", 632_045_800, 167_295_109_120],
  ] as const).map(([size, parameters, multiplyAdds]) => ({
    model: vit({ size, classes: 1000 }),
    title: `vit_${size}`,
    ...{ parameters, multiplyAdds },
  })),
  {
    model: mobilenetV2({ classes: 1000 }),
    title: "mobilenet_v2",
    parameters: 3_504_872,
    multiplyAdds: 300_774_272,
  },
  {
    model: mobilenetV3({ size: "large", classes: 1000 }),
    title: "mobilenet_v3_large",
    parameters: 5_483_032,
    multiplyAdds: 216_589_760,
  },
  {
    model: mobilenetV3({ size: "small", classes: 1000 }),
    title: "mobilenet_v3_small",
    parameters: 2_542_856,
    multiplyAdds: 56_510_400,
  },
];

for (const { model, title, ...published } of PUBLISHED) {
  Deno.test(`${title} has the published parameters and multiply-adds`, () => {
    const built = build(model, [1, 3, 224, 224], "train", "composed");
    assert.equal(countValues(built.parameters), published.parameters);
    assert.equal(multiplyAdds(built), published.multiplyAdds);
    assert.deepEqual(built.output.shape, [1, 1000]);
    assert.equal(layerInfo(model)?.title, title);
  });
}

Deno.test("mobilenets have torchvision's numbers of parameters for other widths", () => {
  for (
    const [model, parameters] of [
      [mobilenetV2({ classes: 1000, width: 0.5 }), 1_968_680],
      [mobilenetV2({ classes: 1000, width: 1.4 }), 6_108_776],
      [mobilenetV3({ classes: 1000, size: "large", width: 0.75 }), 3_377_576],
    ] as const
  ) assert.equal(countValues(build(model, [2, 3, 64, 64]).parameters), parameters);
});

Deno.test("vit has torchvision's parameters in name and shape", () => {
  const { parameters, nodes } = build(
    vit({ size: "b_32", classes: 1000, layers: 2, heads: 8, hidden: 100 }),
    [2, 3, 96, 64],
  );
  const vector = [768];
  const layer = (i: number) =>
    Object.entries({
      "ln_1.weight": vector,
      "ln_1.bias": vector,
      "self_attention.in_proj_weight": [2304, 768],
      "self_attention.in_proj_bias": [2304],
      "self_attention.out_proj.weight": [768, 768],
      "self_attention.out_proj.bias": vector,
      "ln_2.weight": vector,
      "ln_2.bias": vector,
      "mlp.0.weight": [100, 768],
      "mlp.0.bias": [100],
      "mlp.3.weight": [768, 100],
      "mlp.3.bias": vector,
    }).map(([name, shape]) => [`encoder.layers.encoder_layer_${i}.${name}`, shape]);
  assert.deepEqual(
    [...parameters],
    [
      ["conv_proj.weight", [768, 3, 32, 32]],
      ["conv_proj.bias", vector],
      ["class_token", [1, 1, 768]],
      ["encoder.pos_embedding", [1, 7, 768]],
      ...layer(0),
      ...layer(1),
      ["encoder.ln.weight", vector],
      ["encoder.ln.bias", vector],
      ["heads.head.weight", [1000, 768]],
      ["heads.head.bias", [1000]],
    ],
  );
  assert.equal(nodes.includes("encoder.layers.encoder_layer_1.mlp.1"), true);
});

Deno.test("mobilenets have torchvision's names of parameters and running statistics", () => {
  const namesOf = (model: Layer) => {
    const { graph, parameters } = build(model, [2, 3, 64, 64]);
    return new Map([...parameters, ...shapesOf(graph, "state")]);
  };
  const v2 = namesOf(mobilenetV2({ classes: 10 }));
  const v3 = namesOf(mobilenetV3({ size: "small", classes: 10 }));
  for (
    const [names, name, shape] of [
      [v2, "features.0.0.weight", [32, 3, 3, 3]],
      [v2, "features.1.conv.0.0.weight", [32, 1, 3, 3]],
      [v2, "features.1.conv.1.weight", [16, 32, 1, 1]],
      [v2, "features.1.conv.2.running_var", [16]],
      [v2, "features.2.conv.1.0.weight", [96, 1, 3, 3]],
      [v2, "features.2.conv.3.bias", [24]],
      [v2, "features.18.0.weight", [1280, 320, 1, 1]],
      [v2, "classifier.1.weight", [10, 1280]],
      [v3, "features.0.1.running_mean", [16]],
      [v3, "features.1.block.0.0.weight", [16, 1, 3, 3]],
      [v3, "features.1.block.1.fc1.weight", [8, 16, 1, 1]],
      [v3, "features.1.block.1.fc2.bias", [16]],
      [v3, "features.4.block.1.0.weight", [96, 1, 5, 5]],
      [v3, "features.4.block.3.1.weight", [40]],
      [v3, "features.12.0.weight", [576, 96, 1, 1]],
      [v3, "classifier.0.weight", [1024, 576]],
      [v3, "classifier.3.weight", [10, 1024]],
    ] as const
  ) assert.deepEqual(names.get(name), shape, name);
  assert.equal(v2.size, 158 + 2 * 52);
  assert.equal(v3.size, 142 + 2 * 34);
});

Deno.test("unet has the parameters of github.com/milesial/Pytorch-UNet", () => {
  const transposed = build(unet({ classes: 2 }), [2, 3, 32, 48]);
  const bilinear = build(unet({ classes: 2, up: "bilinear" }), [2, 3, 33, 47]);
  assert.equal(countValues(transposed.parameters), 31_037_698);
  assert.equal(countValues(bilinear.parameters), 17_263_042);
  assert.deepEqual(transposed.output.shape, [2, 2, 32, 48]);
  assert.deepEqual(bilinear.output.shape, [2, 2, 33, 47]);
  for (
    const [{ parameters }, name, shape] of [
      [transposed, "inc.double_conv.0.weight", [64, 3, 3, 3]],
      [transposed, "down4.maxpool_conv.1.double_conv.3.weight", [1024, 1024, 3, 3]],
      [transposed, "up1.up.weight", [1024, 512, 2, 2]],
      [transposed, "up1.conv.double_conv.0.weight", [512, 1024, 3, 3]],
      [transposed, "up4.conv.double_conv.4.bias", [64]],
      [transposed, "outc.conv.bias", [2]],
      [bilinear, "down4.maxpool_conv.1.double_conv.0.weight", [512, 512, 3, 3]],
      [bilinear, "up1.conv.double_conv.0.weight", [512, 1024, 3, 3]],
      [bilinear, "up1.conv.double_conv.3.weight", [256, 512, 3, 3]],
      [bilinear, "up4.conv.double_conv.3.weight", [64, 64, 3, 3]],
    ] as const
  ) assert.deepEqual(parameters.get(name), shape, name);
  assert.equal(bilinear.parameters.has("up1.up.weight"), false);
  const levels = build(unet({ classes: 5, channels: 6, depth: 2 }), [1, 1, 8, 8]).parameters;
  assert.deepEqual(levels.get("down2.maxpool_conv.1.double_conv.0.weight"), [24, 12, 3, 3]);
  assert.equal(levels.has("up3.up.weight"), false);
});

Deno.test("weights are initialised as in torchvision", () => {
  const token = build(vit({ classes: 10 }), [1, 3, 224, 224]);
  const normal = (deviation: number) => ({ kind: "normal", mean: 0, deviation });
  const zero = { kind: "constant", value: 0 };
  const layer = "encoder.layers.encoder_layer_0";
  const bound = Math.sqrt(6 / (768 + 3072));
  const spans = ({ kind, low, high }: Record<string, unknown>, limit: number) =>
    kind === "uniform" && Math.abs(Number(low) + limit) < 1e-12 && Math.abs(Number(high) - limit) < 1e-12;
  assert.deepEqual(initializerOf(token, "conv_proj.weight"), normal(Math.sqrt(1 / (3 * 16 * 16))));
  assert.deepEqual(initializerOf(token, "encoder.pos_embedding"), normal(0.02));
  assert.deepEqual(initializerOf(token, "class_token"), zero);
  assert.deepEqual(initializerOf(token, `${layer}.mlp.0.bias`), normal(1e-6));
  assert.ok(spans({ ...initializerOf(token, `${layer}.mlp.0.weight`)! }, bound));
  assert.ok(spans({ ...initializerOf(token, `${layer}.self_attention.in_proj_weight`)! }, Math.sqrt(6 / (4 * 768))));
  assert.deepEqual(initializerOf(token, "heads.head.weight"), zero);
  const mobile = build(mobilenetV3({ size: "small", classes: 10 }), [2, 3, 64, 64]);
  assert.deepEqual(initializerOf(mobile, "features.1.block.0.0.weight"), normal(Math.sqrt(2 / (16 * 9))));
  assert.deepEqual(initializerOf(mobile, "features.1.block.1.fc1.bias"), zero);
  assert.deepEqual(initializerOf(mobile, "classifier.3.weight"), normal(0.01));
  const norms = mobile.graph.nodes.filter(({ op }) => op.type === "batch_norm").map(({ attrs }) => attrs);
  assert.equal(norms.length, 34);
  for (const attrs of norms) assert.deepEqual(attrs, { epsilon: 1e-3, momentum: 0.01, activation: "none" });
});

Deno.test("patches become tokens without a copy where channels are stored last", () => {
  const plan = compileInference(
    optionsOf(vit({ classes: 10, patch: 4, width: 24, layers: 1, heads: 3 }), [2, 3, 8, 8]),
  );
  const first = plan.segments.flatMap(({ dispatches }) => dispatches.map(({ nodeId }) => nodeId)).slice(0, 2);
  assert.deepEqual(first, ["conv_proj", "expand"]);
});

Deno.test("models of images refuse invalid options and inputs", () => {
  refuses(() => vit({ classes: 10, size: "b_8" as "b_16" }), /^vit\.size is "b_8"; expected "b_16", "b_32"/);
  refuses(
    () => vit({ classes: 10, heads: 5 }),
    "vit: expected heads that divide the width of 768, got 5; change one of them",
  );
  refuses(
    () => build(vit({ classes: 10, patch: 4 }), [1, 3, 10, 8]),
    /^model: layer "conv_proj": vit expects images .* multiples of the patch, 4, got \[1, 3, 10, 8\] \(n, c, h, w\)/,
  );
  refuses(() => mobilenetV2({ classes: 10, width: 0 }), "mobilenetV2.width is 0; expected more than 0");
  refuses(
    () => mobilenetV2({ classes: 10, stages: [{ expansion: 1, channels: 8, blocks: 1, stride: 3 as 1 }] }),
    "mobilenetV2.stages[0].stride is 3; expected 1 or 2",
  );
  refuses(
    () => mobilenetV3({ classes: 10, size: "medium" as "large" }),
    'mobilenetV3.size is "medium"; expected "large" or "small"',
  );
  refuses(() => unet({ classes: 2, up: "nearest" as "bilinear" }), /^unet\.up is "nearest"; expected "transpose"/);
  refuses(() => build(unet({ classes: 2 }), [2, 3, 8, 8]), /^model: layer "down4\.maxpool_conv\.0": .*/);
  assert.equal(VIT_SIZES.length, 5);
  assert.equal(layerInfo(vit({ classes: 2, patch: 4, layers: 6 }))?.title, "vit (6 layers, width 768, patch 4)");
  assert.equal(layerInfo(mobilenetV2({ classes: 2, width: 0.5 }))?.title, "mobilenet_v2 (width 0.5)");
});
