/**
 * MobileNetV3 (A. Howard et al., "Searching for MobileNetV3", 2019), with torchvision's names of layers and parameters.
 *
 * @module
 */
import { z } from "zod";
import { mul } from "../../ops/arithmetic.ts";
import { hardSigmoid, hardSwish, relu } from "./activations.ts";
import { conv2d } from "./conv2d.ts";
import { dropout as drop } from "./dropout.ts";
import { he, zeros } from "./initializers.ts";
import {
  classifierLayer,
  convNorm,
  mobilenetFields,
  type MobilenetOptions,
  roundChannels,
  skipping,
} from "./inverted_residual.ts";
import { type Layer, layer, type MarkedLayer, markedLayer } from "./layer.ts";
import { layerOptions } from "./options.ts";
import { globalAvgPool2d } from "./pooling.ts";
import { sequential } from "./sequential.ts";
import { flatten } from "./shaping.ts";

/** Options of {@linkcode mobilenetV3}. */
export interface MobilenetV3Options extends MobilenetOptions {
  /** Table 1 or 2 of the paper. */
  size: "large" | "small";
}

/** A block: kernel, inner channels, outputs, squeeze-and-excitation (`SE`), activation and stride, as in the paper's tables. */
type Row = readonly [
  kernel: number,
  hidden: number,
  channels: number,
  squeeze: "SE" | "-",
  activation: "HS" | "RE",
  stride: number,
];

const LARGE: readonly Row[] = [
  [3, 16, 16, "-", "RE", 1],
  [3, 64, 24, "-", "RE", 2],
  [3, 72, 24, "-", "RE", 1],
  [5, 72, 40, "SE", "RE", 2],
  [5, 120, 40, "SE", "RE", 1],
  [5, 120, 40, "SE", "RE", 1],
  [3, 240, 80, "-", "HS", 2],
  [3, 200, 80, "-", "HS", 1],
  [3, 184, 80, "-", "HS", 1],
  [3, 184, 80, "-", "HS", 1],
  [3, 480, 112, "SE", "HS", 1],
  [3, 672, 112, "SE", "HS", 1],
  [5, 672, 160, "SE", "HS", 2],
  [5, 960, 160, "SE", "HS", 1],
  [5, 960, 160, "SE", "HS", 1],
];

const SMALL: readonly Row[] = [
  [3, 16, 16, "SE", "RE", 2],
  [3, 72, 24, "-", "RE", 2],
  [3, 88, 24, "-", "RE", 1],
  [5, 96, 40, "SE", "HS", 2],
  [5, 240, 40, "SE", "HS", 1],
  [5, 240, 40, "SE", "HS", 1],
  [5, 120, 48, "SE", "HS", 1],
  [5, 144, 48, "SE", "HS", 1],
  [5, 288, 96, "SE", "HS", 2],
  [5, 576, 96, "SE", "HS", 1],
  [5, 576, 96, "SE", "HS", 1],
];

const ARCHITECTURES = {
  large: { rows: LARGE, last: 1280 },
  small: { rows: SMALL, last: 1024 },
} as const;

const schema = z.strictObject({
  ...mobilenetFields,
  size: z.enum(["large", "small"], { error: 'expected "large" or "small"' }),
});

/** torchvision's settings of the batch normalisations. */
const NORM = { epsilon: 1e-3, momentum: 0.01 };

/**
 * Creates a MobileNetV3: images `[n, c, h, w]` to `[n, classes]`. Blocks are those of {@linkcode mobilenetV2} with ReLU or
 * hard swish; some scale their channels by squeeze-and-excitation (J. Hu et al., 2018).
 *
 * Parameters and forward multiply-adds of an image `[3, 224, 224]`, with 1000 classes:
 *
 * | size | parameters | multiply-adds |
 * | :--- | ---------: | ------------: |
 * | large | 5,483,032 | 216.6 M |
 * | small | 2,542,856 | 56.5 M |
 *
 * @throws {InputError} if an option is invalid; on application, if images are too small
 */
export function mobilenetV3(options: MobilenetV3Options): MarkedLayer {
  const { classes, size, width, stem, dropout } = layerOptions("mobilenetV3", schema, options);
  const { rows, last } = ARCHITECTURES[size];
  let inputs = roundChannels(16 * width);
  const features: Layer[] = [
    convNorm(inputs, { kernel: 3, stride: stem === "cifar" ? 1 : 2, norm: NORM, activation: hardSwish }),
  ];
  for (const [kernel, hidden, channels, squeeze, activation, stride] of rows) {
    const outputs = roundChannels(channels * width);
    features.push(block({
      inputs,
      outputs,
      hidden: roundChannels(hidden * width),
      kernel,
      stride,
      squeeze: squeeze === "SE",
      activation: activation === "HS" ? hardSwish : relu,
    }));
    inputs = outputs;
  }
  features.push(convNorm(6 * inputs, { kernel: 1, norm: NORM, activation: hardSwish }));
  const title = `mobilenet_v3_${size}${width === 1 ? "" : ` (width ${width})`}`;
  return markedLayer(
    { type: "mobilenet_v3", leaf: false, title },
    sequential({
      features: sequential(...features),
      avgpool: globalAvgPool2d(),
      flatten: flatten(),
      classifier: sequential(
        classifierLayer(roundChannels(last * width)),
        hardSwish(),
        drop(dropout),
        classifierLayer(classes),
      ),
    }),
  );
}

interface BlockOptions {
  readonly inputs: number;
  readonly hidden: number;
  readonly outputs: number;
  readonly kernel: number;
  readonly stride: number;
  readonly squeeze: boolean;
  readonly activation: () => Layer;
}

function block({ inputs, hidden, outputs, kernel, stride, squeeze, activation }: BlockOptions): Layer {
  const body = sequential(
    ...(hidden === inputs ? [] : [convNorm(hidden, { kernel: 1, norm: NORM, activation })]),
    convNorm(hidden, { kernel, stride, depthwise: true, norm: NORM, activation }),
    ...(squeeze ? [squeezeExcitation(hidden)] : []),
    convNorm(outputs, { kernel: 1, norm: NORM, activation: null }),
  );
  return skipping("block", body, stride === 1 && inputs === outputs);
}

/** Multiplies each channel by a factor from 0 to 1, which two 1x1 convolutions compute from the means of all channels. */
function squeezeExcitation(channels: number): Layer {
  const pointwise = (outputs: number) => conv2d(outputs, { kernel: 1, init: he({ fan: "out" }), biasInit: zeros() });
  const factors = sequential({
    avgpool: globalAvgPool2d(),
    fc1: pointwise(roundChannels(Math.floor(channels / 4))),
    activation: relu(),
    fc2: pointwise(channels),
    scale_activation: hardSigmoid(),
  });
  return layer((x) => mul(factors(x), x));
}
