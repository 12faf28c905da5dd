import { z } from "zod";
import { dropout as drop } from "../../ops/dropout.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { dropProbability, layerOptions } from "./options.ts";

const schema = z.strictObject({ p: dropProbability });

/**
 * Creates a dropout: in training, zeroes elements with probability `p` and scales the rest by `1 / (1 - p)`; in inference,
 * returns its input (N. Srivastava et al., 2014).
 *
 * @throws {InputError} if `p` is not in [0, 1)
 */
export function dropout(p = 0.5): MarkedLayer {
  layerOptions("dropout", schema, {}, { p });
  return plainLayer({ type: "dropout", apply: (x) => drop(x, p) });
}
