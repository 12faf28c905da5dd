import assert from "node:assert/strict";
import {
  add,
  argmax,
  cast,
  clamp,
  concat,
  conv1d,
  einsum,
  expand,
  flatten,
  gather,
  globalAvgPool2d,
  hardSigmoid,
  hardSwish,
  identity,
  type Layer,
  layer,
  logSumExp,
  matmul,
  mul,
  multiHeadAttention,
  pad,
  pow,
  relu,
  relu6,
  reshape,
  rotary,
  scaledDotProductAttention,
  sequential,
  sigmoid,
  silu,
  slice,
  sum,
  swiglu,
  tanh,
  type Tensor,
  transpose,
  tril,
  triu,
} from "../../mod.ts";
import { build } from "./building.ts";
import { refuses } from "../support/refuses.ts";

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
    "options of a value",
    () => layer((x) => pad(x, [[0, 0], [1, 1], [0, 0]], "0" as never)),
    /pad expects a number as v/,
  ],
  [
    "a record as axis",
    () => layer((x) => concat([x, x], { axis: 1 } as never)),
    /for shape \[2, 6, 12\], got {"axis":1}$/,
  ],
  ["a record as size", () => layer((x) => expand(x, [2, { n: 6 }, 12] as never)), /got \[2, {"n":6}, 12\]$/],
  ["a size that is not whole", () => layer((x) => expand(x, [2.5, 2, 6, 12])), /expand expects whole numbers/],
  ["three operands", () => layer((x) => (mul as (...all: Tensor[]) => Tensor)(x, x, x)), /mul: expected 2 operands/],
  [
    "a text as flag",
    () => layer((x) => sum(x, { axes: 1, keepDims: "no" as never })),
    /true or false as keepDims, got "no"/,
  ],
  [
    "no indices",
    () => layer((x) => gather(x, 1, undefined as never)),
    /gather\(x, axis, indices\) expects tensors, got n/,
  ],
  [
    "an option of a text",
    () => layer((x) => clamp(x, { low: "0" as never })),
    /clamp expects a number as low, got "0"/,
  ],
  [
    "a fill of a text",
    () => layer((x) => tril(x, { fill: "-inf" as never })),
    /tril expects a number as fill, got "-inf"/,
  ],
  ["a negative base", () => layer((x) => rotary(x, 1, { base: -1 })), /rotary expects a base of more than 0, got -1/],
  [
    "an error of the script's own",
    () =>
      layer(() => {
        throw new TypeError("half a layer");
      }),
    /failed: TypeError: half a layer/,
  ],
];

Deno.test("the second wrong op of a layer is named without the number of its node", () => {
  const messageOf = (body: Layer) => {
    try {
      return String(build(sequential({ body }), [2, 6, 12]).output.shape);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const twice = layer((x) => matmul(matmul(x, transpose(x, [0, 2, 1])), transpose(x, [0, 2, 1])));
  assert.match(messageOf(twice), /^model: layer "body\.matmul": matmul expects as many columns/);
  const integers = layer((x) => matmul(x, cast(x, "i32")));
  assert.match(messageOf(integers), /^model: layer "body\.matmul": matmul .*; use cast\(x, "f32"\) first$/);
});

Deno.test("layers without options refuse them", () => {
  const factories = {
    flatten,
    globalAvgPool2d,
    hardSigmoid,
    hardSwish,
    identity,
    relu,
    relu6,
    sigmoid,
    silu,
    swiglu,
    tanh,
  };
  for (const [name, factory] of Object.entries(factories)) {
    const called = factory as (options: unknown) => Layer;
    assert.throws(() => called({ startDim: 2 }), {
      name: "InputError",
      message: `${name}: has no options, got {"startDim":2}; write ${name}()`,
    });
  }
});

Deno.test("a list of tensors can be added up", () => {
  assert.doesNotThrow(() => build(sequential({ body: layer((x) => [x, x, x].reduce(add)) }), [2, 6, 12]));
});

Deno.test("wrong use of ops and layers names the layer, what was expected and what was given", () => {
  for (const [what, make, message] of CASES) {
    const apply = () => build(sequential({ body: make() }), [2, 6, 12]);
    refuses(apply, /^model: layer "body": /, what);
    refuses(apply, message, what);
  }
});
