/**
 * MobileNetV2 (M. Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018), with torchvision's names of
 * layers and parameters.
 *
 * @module
 */
import { z } from "zod";
import { positiveInteger } from "../data/checked.ts";
import { relu6 } from "./activations.ts";
import { batchNorm } from "./batch_norm.ts";
import { conv2d } from "./conv2d.ts";
import { dropout as drop } from "./dropout.ts";
import { he } from "./initializers.ts";
import {
  classifierLayer,
  convNorm,
  mobilenetFields,
  type MobilenetOptions,
  roundChannels,
  skipping,
} from "./inverted_residual.ts";
import { type Layer, type MarkedLayer, markedLayer } from "./layer.ts";
import { layerOptions } from "./options.ts";
import { globalAvgPool2d } from "./pooling.ts";
import { sequential } from "./sequential.ts";
import { flatten } from "./shaping.ts";

/** Blocks with the same number of channels. */
export interface MobilenetStage {
  /** Ratio of a block's inner channels to its inputs. */
  expansion: number;
  /** Output channels, before the factor `width`. */
  channels: number;
  /** Number of blocks. */
  blocks: number;
  /** Stride of the first block. */
  stride: 1 | 2;
}

/** Options of {@linkcode mobilenetV2}. */
export interface MobilenetV2Options extends MobilenetOptions {
  /** Stages between the first and the last convolution. Default: the 7 stages of the paper's table 2. */
  stages?: readonly MobilenetStage[];
}

const STAGES: MobilenetStage[] = [
  { expansion: 1, channels: 16, blocks: 1, stride: 1 },
  { expansion: 6, channels: 24, blocks: 2, stride: 2 },
  { expansion: 6, channels: 32, blocks: 3, stride: 2 },
  { expansion: 6, channels: 64, blocks: 4, stride: 2 },
  { expansion: 6, channels: 96, blocks: 3, stride: 1 },
  { expansion: 6, channels: 160, blocks: 3, stride: 2 },
  { expansion: 6, channels: 320, blocks: 1, stride: 1 },
];

const schema = z.strictObject({
  ...mobilenetFields,
  stages: z.array(
    z.strictObject({
      expansion: positiveInteger,
      channels: positiveInteger,
      blocks: positiveInteger,
      stride: z.literal([1, 2], { error: "expected 1 or 2" }),
    }),
    { error: "expected a list such as [{ expansion: 6, channels: 24, blocks: 2, stride: 2 }]" },
  ).default(STAGES),
});

/**
 * Creates a MobileNetV2: images `[n, c, h, w]` to `[n, classes]`. A block widens its input with a 1x1 convolution, filters
 * each channel and projects it back without an activation; blocks of stride 1 add their input. A `width` below 1 does not
 * narrow the last convolution. 3,504,872 parameters and 300.8 M forward multiply-adds for images `[3, 224, 224]` and 1000
 * classes.
 *
 * @example
 * ```ts
 * import { mobilenetV2 } from "@tacho/tacho";
 *
 * const model = mobilenetV2({ classes: 1000 });
 * const half = mobilenetV2({ classes: 10, width: 0.5, stem: "cifar" });
 * ```
 *
 * @throws {InputError} if an option is invalid; on application, if images are too small
 */
export function mobilenetV2(options: MobilenetV2Options): MarkedLayer {
  const { classes, width, stem, dropout, stages } = layerOptions("mobilenetV2", schema, options);
  let inputs = roundChannels(32 * width);
  const features: Layer[] = [
    convNorm(inputs, { kernel: 3, stride: stem === "cifar" ? 1 : 2, activation: relu6 }),
  ];
  for (const { expansion, channels, blocks, stride } of stages) {
    const outputs = roundChannels(channels * width);
    for (let i = 0; i < blocks; i++) {
      features.push(block({ inputs, outputs, expansion, stride: i === 0 ? stride : 1 }));
      inputs = outputs;
    }
  }
  features.push(convNorm(roundChannels(1280 * Math.max(1, width)), { kernel: 1, activation: relu6 }));
  const title = `mobilenet_v2${width === 1 ? "" : ` (width ${width})`}`;
  return markedLayer(
    { type: "mobilenet_v2", leaf: false, title },
    sequential({
      features: sequential(...features),
      avgpool: globalAvgPool2d(),
      flatten: flatten(),
      classifier: sequential(drop(dropout), classifierLayer(classes)),
    }),
  );
}

interface BlockOptions extends Pick<MobilenetStage, "expansion" | "stride"> {
  readonly inputs: number;
  readonly outputs: number;
}

function block({ inputs, outputs, expansion, stride }: BlockOptions): Layer {
  const hidden = inputs * expansion;
  const body = sequential(
    ...(expansion === 1 ? [] : [convNorm(hidden, { kernel: 1, activation: relu6 })]),
    convNorm(hidden, { kernel: 3, stride, depthwise: true, activation: relu6 }),
    conv2d(outputs, { kernel: 1, bias: false, init: he({ fan: "out" }) }),
    batchNorm(),
  );
  return skipping("conv", body, stride === 1 && inputs === outputs);
}
