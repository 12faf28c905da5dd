import { unet } from "../../mod.ts";
import { bilinear } from "../support/reference/bilinear.ts";
import { relu } from "../support/reference/elementwise.ts";
import { convLayer, convTransposeLayer, normLayer } from "../support/reference/layers.ts";
import { concat, pad } from "../support/reference/moving.ts";
import type { Pass } from "../support/reference/network.ts";
import { bySgd } from "./optimizers.ts";
import { maxPool2d } from "../support/reference/pool.ts";
import type { Value } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";
import { pixelEntropy } from "./losses.ts";

const DEPTH = 2;

function doubleConvolution(pass: Pass, name: string, x: Value): Value {
  const once = (y: Value, at: number) => {
    const convolved = convLayer(pass, `${name}.double_conv.${at}`, y, { bias: false, padding: [1, 1] });
    return relu(pass.tape, normLayer(pass, `${name}.double_conv.${at + 1}`, convolved));
  };
  return once(once(x, 0), 3);
}

function reference(raise: (pass: Pass, name: string, x: Value) => Value): ModelCase["reference"] {
  return (pass, x) => {
    const { tape } = pass;
    const skips = [doubleConvolution(pass, "inc", x)];
    for (let i = 1; i <= DEPTH; i++) {
      const pooled = maxPool2d(tape, skips.at(-1)!, { kernel: [2, 2], stride: [2, 2] });
      skips.push(doubleConvolution(pass, `down${i}.maxpool_conv.1`, pooled));
    }
    let y = skips.pop()!;
    for (let i = 1; i <= DEPTH; i++) {
      const skip = skips.pop()!;
      const raised = raise(pass, `up${i}.up`, y);
      // One row or column is missing where a size was odd
      const missing = [2, 3].map((d) => skip.shape[d]! - raised.shape[d]!) as [number, number];
      const joined = concat(tape, [skip, pad(tape, raised, [0, missing[0]], [0, missing[1]])], 1);
      y = doubleConvolution(pass, `up${i}.conv`, joined);
    }
    return convLayer(pass, "outc.conv", y);
  };
}

function unetCase(
  up: "transpose" | "bilinear",
  raise: Parameters<typeof reference>[0],
  size: [number, number],
): ModelCase {
  return {
    name: `unet, ${up}`,
    model: unet({ classes: 3, channels: 4, depth: DEPTH, up }),
    reference: reference(raise),
    batchSize: 3,
    input: [2, ...size],
    target: { classes: 3, places: size },
    loss: pixelEntropy(),
    optimizer: bySgd({ learningRate: 1e-2, momentum: 0.9 }),
    tolerance: 1e-4,
  };
}

/** U-Nets with both ways to raise the resolution; on images with odd sizes, results are padded. */
export const unets: readonly ModelCase[] = [
  unetCase("transpose", (pass, name, x) => convTransposeLayer(pass, name, x, [2, 2]), [7, 10]),
  unetCase(
    "bilinear",
    ({ tape }, _name, x) => bilinear(tape, x, [2 * x.shape[2]!, 2 * x.shape[3]!]),
    [8, 12],
  ),
];
