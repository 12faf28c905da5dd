import { z } from "zod";
import { mul } from "../../ops/arithmetic.ts";
import { add } from "../../ops/add.ts";
import { reshape } from "../../ops/reshape.ts";
import { layerNorm as normalize } from "../../ops/row_norm.ts";
import { toLayout } from "../../ops/to_layout.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { isImages, rowMajor } from "../graph/types.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { weightedLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Options of {@linkcode groupNorm} and {@linkcode instanceNorm}. */
export interface GroupNormOptions {
  /** Constant added to the variance. Default: 1e-5. */
  epsilon?: number;
  /** Multiplies by a trained weight and adds a bias. Default: true for `groupNorm`, false for `instanceNorm`. */
  affine?: boolean;
}

const epsilon = z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(1e-5);
const affine = z.boolean({ error: "expected true or false" });
const groupSchema = z.strictObject({ numGroups: positiveInteger, epsilon, affine: affine.default(true) });
const instanceSchema = z.strictObject({ epsilon, affine: affine.default(false) });

/**
 * Creates a normalisation of groups of channels of `[n, c, ...]` (Y. Wu and K. He, 2018). Parameters: `weight` `[c]`,
 * initially 1, and `bias` `[c]`, initially 0.
 *
 * @throws {InputError} if an option is invalid; on application, if the groups do not divide the channels
 */
export function groupNorm(numGroups: number, options: GroupNormOptions = {}): MarkedLayer {
  const settings = layerOptions("groupNorm", groupSchema, options, { numGroups });
  return normOfGroups("groupNorm", "group_norm", () => settings.numGroups, settings);
}

/**
 * Creates a normalisation of each channel of each sample of `[n, c, ...]` (D. Ulyanov et al., 2016). Parameters if `affine`:
 * as for {@linkcode groupNorm}.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has fewer than three dimensions
 */
export function instanceNorm(options: GroupNormOptions = {}): MarkedLayer {
  const settings = layerOptions("instanceNorm", instanceSchema, options);
  return normOfGroups("instanceNorm", "instance_norm", (channels) => channels, settings);
}

function normOfGroups(
  name: string,
  type: string,
  groupsOf: (channels: number) => number,
  { epsilon, affine }: Required<GroupNormOptions>,
): MarkedLayer {
  const fewest = type === "instance_norm" ? 3 : 2;
  return weightedLayer<{ weight: Tensor; bias: Tensor } | null>({
    type,
    unit: "channels",
    size(shape, fail) {
      const channels = shape[1] ?? 1;
      if (shape.length < fewest || channels % groupsOf(channels) !== 0) {
        throw fail(
          `${name} expects an input [n, c, ...] of at least ${fewest} dimensions with a multiple of ` +
            `${groupsOf(channels)} channels, got ${namedShape(shape)}`,
        );
      }
      return channels;
    },
    create(make, x) {
      const kind = rowMajor([x.shape[1]!], "f32");
      return affine
        ? {
          weight: make.parameter("weight", kind, { kind: "constant", value: 1 }),
          bias: make.parameter("bias", kind, { kind: "constant", value: 0 }),
        }
        : null;
    },
    apply(x, weights) {
      const { shape } = x;
      const rows = isImages(x.type) ? toLayout(x, "row") : x;
      const groups = reshape(rows, [shape[0]!, groupsOf(shape[1]!), -1]);
      const y = reshape(normalize(groups, null, null, { epsilon }), shape);
      const scaled = weights === null ? y : add(mul(y, perChannel(weights.weight, x)), perChannel(weights.bias, x));
      return isImages(x.type) ? toLayout(scaled, x.type.layout) : scaled;
    },
  });
}

/** Returns a vector `[c]` as `[c, 1, ...]`, which is broadcast along the dimensions after the channels of `x`. */
function perChannel(vector: Tensor, x: Tensor): Tensor {
  return reshape(vector, [x.shape[1]!, ...x.shape.slice(2).map(() => 1)]);
}
