/**
 * Residual networks (K. He et al., "Deep Residual Learning for Image Recognition", 2015), with torchvision's names of layers
 * and parameters.
 *
 * @module
 */
import { z } from "zod";
import { positiveInteger } from "../data/checked.ts";
import { relu } from "./activations.ts";
import { add } from "./add.ts";
import { batchNorm } from "./batch_norm.ts";
import { conv2d } from "./conv2d.ts";
import { he } from "./initializers.ts";
import { type Layer, layer, type MarkedLayer, markedLayer } from "./layer.ts";
import { linear } from "./linear.ts";
import { layerOptions } from "./options.ts";
import { globalAvgPool2d, maxPool2d } from "./pooling.ts";
import { scope } from "./scope.ts";
import { sequential } from "./sequential.ts";
import { flatten, identity } from "./shaping.ts";

/** Options of {@linkcode resnet}. */
export interface ResnetOptions {
  /** 18, 34, 50, 101 or 152; or 8, 14, 20, 32, 44, 56 or 110 for networks of the paper's form for CIFAR-10. */
  depth: number;
  /** Features of the output. */
  classes: number;
  /**
   * First layers: `imagenet` is a 7x7 convolution of stride 2 and a max pooling, `cifar` a 3x3 convolution. Default: the
   * paper's choice for the depth.
   */
  stem?: "cifar" | "imagenet";
}

type BlockKind = "basic" | "bottleneck";

interface Architecture {
  readonly block: BlockKind;
  /** Blocks in each stage. */
  readonly stages: readonly number[];
  /** Channels of the stem and the first stage; every further stage doubles them. */
  readonly width: number;
  readonly stem: "cifar" | "imagenet";
}

const ARCHITECTURES: ReadonlyMap<number, Architecture> = new Map([
  ...[8, 14, 20, 32, 44, 56, 110].map((depth) => [depth, cifar((depth - 2) / 6)] as const),
  [18, imagenet("basic", [2, 2, 2, 2])],
  [34, imagenet("basic", [3, 4, 6, 3])],
  [50, imagenet("bottleneck", [3, 4, 6, 3])],
  [101, imagenet("bottleneck", [3, 4, 23, 3])],
  [152, imagenet("bottleneck", [3, 8, 36, 3])],
]);

function cifar(blocks: number): Architecture {
  return { block: "basic", stages: [blocks, blocks, blocks], width: 16, stem: "cifar" };
}

function imagenet(block: BlockKind, stages: readonly number[]): Architecture {
  return { block, stages, width: 64, stem: "imagenet" };
}

/** Depths that {@linkcode resnet} supports. */
export const RESNET_DEPTHS: readonly number[] = [...ARCHITECTURES.keys()].sort((a, b) => a - b);

const schema = z.strictObject({
  depth: z.literal(RESNET_DEPTHS as number[], { error: `expected one of ${RESNET_DEPTHS.join(", ")}` }),
  classes: positiveInteger,
  stem: z.enum(["cifar", "imagenet"], { error: 'expected "cifar" or "imagenet"' }).optional(),
});

/** Ratio of a block's output channels to its inner ones. */
const EXPANSION = { basic: 1, bottleneck: 4 } as const;

/**
 * Creates a residual network: images `[n, c, h, w]` to `[n, classes]`. The shortcut of a block that changes the shape is a 1x1
 * convolution with batch normalisation (option B of the paper) at all depths. A bottleneck block has its stride at the 3x3
 * convolution. Convolutions are initialised with He's normal distribution by fan-out, as in torchvision.
 *
 * @example
 * ```ts
 * import { cifar10, crossEntropy, resnet, scenario, sgd } from "@tacho/tacho";
 *
 * export default scenario({
 *   name: "resnet20",
 *   model: resnet({ depth: 20, classes: 10 }),
 *   loss: crossEntropy(),
 *   optimizer: sgd({ learningRate: 0.1, momentum: 0.9, weightDecay: 1e-4 }),
 *   data: cifar10(),
 * });
 * ```
 *
 * Parameters and forward multiply-adds of an image with 3 channels:
 *
 * | depth | classes | image | parameters | multiply-adds |
 * | ----: | ------: | ----: | ---------: | ------------: |
 * | 20 | 10 | 32 | 272,474 | 40.8 M |
 * | 32 | 10 | 32 | 466,906 | 69.1 M |
 * | 56 | 10 | 32 | 855,770 | 125.7 M |
 * | 18 | 1000 | 224 | 11,689,512 | 1.81 G |
 * | 34 | 1000 | 224 | 21,797,672 | 3.66 G |
 * | 50 | 1000 | 224 | 25,557,032 | 4.09 G |
 * | 101 | 1000 | 224 | 44,549,160 | 7.80 G |
 *
 * @throws {InputError} if an option is invalid; on application, if images are too small
 */
export function resnet(options: ResnetOptions): MarkedLayer {
  const { depth, classes, stem } = layerOptions("resnet", schema, options);
  const { block, stages, width, stem: usual } = ARCHITECTURES.get(depth)!;
  const children: Record<string, Layer> = { ...stemLayers(width, stem ?? usual) };
  let inputs = width;
  stages.forEach((blocks, stage) => {
    const channels = width * 2 ** stage;
    const outputs = channels * EXPANSION[block];
    children[`layer${stage + 1}`] = sequential(
      ...Array.from({ length: blocks }, (_, i) =>
        residual({
          block,
          channels,
          stride: i === 0 && stage > 0 ? 2 : 1,
          project: i === 0 && (stage > 0 || inputs !== outputs),
        })),
    );
    inputs = outputs;
  });
  const title = `resnet${depth}${stem === undefined || stem === usual ? "" : ` (${stem} stem)`}`;
  return markedLayer(
    { type: "resnet", leaf: false, title },
    sequential({ ...children, avgpool: globalAvgPool2d(), flatten: flatten(), fc: linear(classes) }),
  );
}

function stemLayers(width: number, stem: "cifar" | "imagenet"): Record<string, Layer> {
  if (stem === "cifar") return { conv1: convolution(width, 3), bn1: batchNorm(), relu: relu() };
  return {
    conv1: convolution(width, 7, 2),
    bn1: batchNorm(),
    relu: relu(),
    maxpool: maxPool2d({ kernel: 3, stride: 2, padding: 1 }),
  };
}

interface BlockOptions {
  readonly block: BlockKind;
  readonly channels: number;
  readonly stride: number;
  /** The shortcut changes the shape. */
  readonly project: boolean;
}

/** `relu(body(x) + shortcut(x))` */
function residual({ block, channels, stride, project }: BlockOptions): Layer {
  const body = block === "basic" ? basic(channels, stride) : bottleneck(channels, stride);
  const outputs = channels * EXPANSION[block];
  const shortcut = project ? scope("downsample", sequential(convolution(outputs, 1, stride), batchNorm())) : identity();
  return layer((x) => relu()(add(body(x), shortcut(x))));
}

function basic(channels: number, stride: number): Layer {
  return sequential({
    conv1: convolution(channels, 3, stride),
    bn1: batchNorm(),
    relu: relu(),
    conv2: convolution(channels, 3),
    bn2: batchNorm(),
  });
}

function bottleneck(channels: number, stride: number): Layer {
  return sequential({
    conv1: convolution(channels, 1),
    bn1: batchNorm(),
    relu1: relu(),
    conv2: convolution(channels, 3, stride),
    bn2: batchNorm(),
    relu2: relu(),
    conv3: convolution(channels * EXPANSION.bottleneck, 1),
    bn3: batchNorm(),
  });
}

function convolution(channels: number, kernel: number, stride = 1): Layer {
  return conv2d(channels, { kernel, stride, padding: "same", bias: false, init: he({ fan: "out" }) });
}
