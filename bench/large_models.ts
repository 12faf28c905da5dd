/**
 * Large models at their usual sizes, whose plans are compiled without a device.
 *
 * @module
 */
import {
  adamW,
  crossEntropy,
  gpt,
  resnet,
  type Scenario,
  scenario,
  sgd,
  syntheticImages,
  tokens,
  vit,
} from "../mod.ts";
import type { Plan } from "../runtime/compile/plan.ts";
import { compileVariant } from "../runtime/compile/variant.ts";
import { describeDataset } from "../runtime/data/describe.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../runtime/device/traits.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";

type Amp = "O0" | "O1" | "O2" | "O3";

interface LargeModel {
  readonly title: string;
  define(amp: Amp): Scenario;
}

const images = () => syntheticImages({ height: 224, width: 224, classes: 1000, length: 64 });

export const LARGE_MODELS: Readonly<Record<string, LargeModel>> = {
  resnet50: {
    title: "ResNet-50, 32 x 3 x 224 x 224, SGD with momentum",
    define: (amp) =>
      scenario({
        name: "resnet50",
        model: resnet({ depth: 50, classes: 1000 }),
        loss: crossEntropy(),
        optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
        data: images(),
        loader: { batchSize: 32 },
        amp,
      }),
  },
  gpt2: {
    title: "GPT-2 124M, 4 x 1024 tokens, AdamW",
    define: (amp) =>
      scenario({
        name: "gpt2",
        model: gpt({ size: "gpt2" }),
        loss: crossEntropy(),
        optimizer: adamW({ learningRate: 1e-4 }),
        data: tokens({ array: new Int32Array(8200), vocabulary: 50_257, context: 1024, testFraction: 0 }),
        loader: { batchSize: 4 },
        amp,
      }),
  },
  vit: {
    title: "ViT-B/16, 32 x 3 x 224 x 224, AdamW",
    define: (amp) =>
      scenario({
        name: "vit",
        model: vit({ size: "b_16", classes: 1000 }),
        loss: crossEntropy(),
        optimizer: adamW({ learningRate: 1e-4 }),
        data: images(),
        loader: { batchSize: 32 },
        amp,
      }),
  },
};

/** Compiles the plan of a scenario for an adapter of this class. */
export function planOf(definition: Scenario, kernels: DeviceTraits["class"]): Plan {
  const { config } = resolveScenario(definition).variants[0]!;
  // Large adapters bind 2 GiB and more at once
  const traits = { ...DEFAULT_TRAITS, class: kernels, maxStorageBindingBytes: 2 ** 31, maxBufferBytes: 2 ** 32 };
  return compileVariant(config, describeDataset(config.data), traits).plan;
}
