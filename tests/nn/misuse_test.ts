import assert from "node:assert/strict";
import {
  argmax,
  clamp,
  concat,
  conv1d,
  einsum,
  type Layer,
  layer,
  logSumExp,
  matmul,
  multiHeadAttention,
  pow,
  reshape,
  rotary,
  scaledDotProductAttention,
  sequential,
  slice,
  sum,
  triu,
} from "../../mod.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { build } from "./building.ts";

/** Wrong layers of an input [2, 6, 12], and the message. JavaScript, and `deno run`, let all of them pass the types. */
const CASES: readonly [what: string, make: () => Layer, message: RegExp][] = [
  ["an option that does not exist", () => layer((x) => sum(x, { axis: 1 } as object)), /sum has no option "axis"; did/],
  [
    "of a longer name",
    () => layer((x) => logSumExp(x, { keepdims: true } as object)),
    /logSumExp has no option "keepd/,
  ],
  ["an axis in place of options", () => layer((x) => argmax(x, 1 as never)), /argmax expects a record of options/],
  ["of a triangle", () => layer((x) => triu(x, { k: 1 } as object)), /triu has no option "k"/],
  ["of rotary positions", () => layer((x) => rotary(x, 1, { theta: 2 } as object)), /rotary has no option "theta"/],
  [
    "PyTorch's name",
    () => layer((x) => scaledDotProductAttention(x, x, x, { isCausal: true } as object)),
    /scaledDotProductAttention has no option "isCausal"; did you mean "causal"\?/,
  ],
  ["PyTorch's name of a limit", () => layer((x) => clamp(x, { min: 0 } as object)), /clamp has no option "min"/],
  ["a number as matrix", () => layer((x) => matmul(x, 2 as never)), /matmul expects tensors, got 2/],
  ["one tensor as list", () => layer((x) => concat(x as never)), /concat expects a list of tensors, got/],
  [
    "sizes without a list",
    () => layer((x) => reshape(x, 3 as never)),
    /reshape expects a list of sizes for \[2, 6, 12\]/,
  ],
  [
    "an equation after the tensors",
    () => layer((x) => einsum(x as never, "ij" as never)),
    /einsum expects an equation/,
  ],
  [
    "a record as range",
    () => layer((x) => slice(x, [null, { start: 0 } as never])),
    /slice expects \[start, stop, step\] or null for dimension 1 of \[2, 6, 12\], got {"start":0}/,
  ],
  ["ranges without a list", () => layer((x) => slice(x, 3 as never)), /slice expects a list of ranges/],
  ["a text as number", () => layer((x) => pow(x, "2" as never)), /pow: expected tensors or finite numbers, got "2"/],
  [
    "an odd head with rotary",
    () => multiHeadAttention({ heads: 4, rotary: true }),
    /even number of features .* got 3 \(/,
  ],
  [
    "a long kernel",
    () => conv1d(4, { kernel: 5, dilation: 4 }),
    /padded length of 12, got a kernel of 5 that spans 17/,
  ],
  [
    "an error of the script's own",
    () =>
      layer(() => {
        throw new TypeError("half a layer");
      }),
    /failed: TypeError: half a layer/,
  ],
];

Deno.test("wrong use of ops and layers names the layer, what was expected and what was given", () => {
  for (const [what, make, message] of CASES) {
    assert.throws(() => build(sequential({ body: make() }), [2, 6, 12]), (error) => {
      assert(error instanceof InputError, `${what}: ${error}`);
      assert.match(error.message, /^model: layer "body": /, what);
      assert.match(error.message, message, what);
      return true;
    });
  }
});
