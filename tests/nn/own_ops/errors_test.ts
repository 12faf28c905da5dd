/** Messages about wrong definitions and wrong uses of a script's own ops. */
import assert from "node:assert/strict";
import { defineOp, type Layer, type OpPass, sum, type Tensor } from "../../../mod.ts";
import { compileTraining } from "../../../runtime/compile/compile.ts";
import { DEFAULT_TRAITS } from "../../../runtime/device/traits.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { optionsOf } from "../../compile/programs.ts";
import { candidatesOf } from "../../support/evaluate.ts";
import { refuses } from "../../support/refuses.ts";

type Changes = Readonly<Record<string, unknown>>;

const pass: OpPass<"x" | "y", Record<never, never>> = {
  invocations: ({ y }) => y.size,
  code: "store_y(index, 2.0 * load_x(index));",
};

const definition = {
  type: "twice",
  inputs: ["x"],
  shape: ({ x }: { x: { shape: readonly number[] } }) => ({ y: x.shape }),
  cost: ({ y }: { y: { size: number } }) => y.size,
  gradient: ({ gradients: { y } }: { gradients: { y: Tensor } }) => ({ x: y }),
  kernels: [{ name: "elements", ...pass }],
};

/** Defines `twice` with some keys changed, as a script without types may. */
function twice(changes: Changes = {}): (...args: unknown[]) => Tensor {
  return defineOp({ ...definition, ...changes } as never) as unknown as (...args: unknown[]) => Tensor;
}

function kernel(changes: Changes): Changes {
  return { kernels: [{ name: "elements", ...pass, ...changes }] };
}

function leaf(): Tensor {
  return new Graph().leaf("parameter", "w", rowMajor([2, 3], "f32"));
}

const DEFINITIONS: readonly (readonly [string, Changes, RegExp])[] = [
  ["a missing type", { type: undefined }, /^defineOp: type is missing; expected lower-case letters/],
  ["a type with capitals", { type: "Twice" }, /^defineOp: type is "Twice"; expected lower-case letters/],
  ["a type of Tacho", { type: "conv2d" }, /^op "conv2d": Tacho has an op of type "conv2d"; choose another/],
  ["an unknown key", { kernel: [] }, /^op "twice" has no "kernel"; did you mean "kernels"\?$/],
  ["no kernels", { kernels: [] }, /^op "twice"\.kernels is \[\]; expected at least one kernel$/],
  ["a wrong precision", { precision: "half" }, /^op "twice"\.precision is "half"; expected one of compute, follow/],
  ["a missing cost", { cost: undefined }, /^op "twice"\.cost is missing; expected a function such as \(\{ y \}\)/],
  ["a tensor named like a builtin", { inputs: ["u"] }, /^op "twice": tensor "u": the generated code uses this name/],
  [
    "a tensor named like a word of WGSL",
    { inputs: ["target"] },
    /^op "twice": tensor "target": WGSL reserves this word/,
  ],
  ["a tensor that is no name", { inputs: ["a b"] }, /^op "twice": tensor "a b": expected a name of letters/],
  ["an output named like an input", { outputs: ["x"] }, /^op "twice": tensor "x": occurs twice/],
  ["no code", kernel({ code: undefined }), /^op "twice"\.kernels\[0\].*expected either code or passes/],
  [
    "no grid",
    kernel({ invocations: undefined }),
    /^op "twice"\.kernels\[0\].*expected either invocations or workgroups/,
  ],
  [
    "an option that is no data",
    { options: { f: () => 1 } },
    /^op "twice"\.options\.f is a function; expected a number/,
  ],
];

for (const [name, changes, message] of DEFINITIONS) {
  Deno.test(`defineOp refuses ${name}`, () => refuses(() => twice(changes), message));
}

const ELEMENTWISE: readonly (readonly [string, Changes, RegExp])[] = [
  ["an operand that is not read", { inputs: ["x", "b"] }, /^op "cube": value does not read b; use it, or remove it/],
  [
    "a missing derivative",
    { gradients: {} },
    /^op "cube": gradients\.x is missing; give its derivative, or null for 0$/,
  ],
  ["a derivative of no operand", { gradients: { x: null, z: null } }, /gradients\.z is not an operand/],
  ["a derivative without dy", { gradients: { x: { value: "x", flops: 1 } } }, /gradients\.x does not read dy/],
  ["an operand named dy", { inputs: ["x", "dy"], value: "x * dy" }, /tensor "dy": the generated code uses this name/],
  ["a type whose gradient's name is taken", { type: "relu" }, /^op "relu": Tacho has an op of type "relu"/],
];

for (const [name, changes, message] of ELEMENTWISE) {
  Deno.test(`defineOp refuses an elementwise op with ${name}`, () => {
    const cube = { type: "cube", inputs: ["x"], value: "x * x * x", flops: 2, ...changes };
    refuses(() => defineOp(cube as never), message);
  });
}

const USES: readonly (readonly [string, Changes, (op: (...args: unknown[]) => Tensor) => unknown, RegExp])[] = [
  ["no tensor", {}, (op) => op(3), /^op "twice": expected 1 tensors \(x\), got a number as x$/],
  ["a layer", {}, (op) => op((x: Tensor) => x), /got a function as x; apply the layer first/],
  ["too many arguments", {}, (op) => op(leaf(), {}, 1), /expected 1 tensors \(x\) and options, got 3 arguments/],
  [
    "an unknown option",
    { options: { scale: 2 } },
    (op) => op(leaf(), { scal: 1 }),
    /has no option "scal"; did you mean/,
  ],
  [
    "an option of another type",
    { options: { scale: 2 } },
    (op) => op(leaf(), { scale: "3" }),
    /option scale is "3"; exp/,
  ],
  [
    "a shape of 0",
    { shape: () => ({ y: [0] }) },
    (op) => op(leaf()),
    /"w?.*op "twice": shape: output y is \[0\]; expected/,
  ],
  [
    "a missing output",
    { shape: () => ({ z: [1] }) },
    (op) => op(leaf()),
    /shape: output y is missing; expected a list/,
  ],
  [
    "an error of the shape rule",
    { shape: () => assert.fail("expected rows of 4") },
    (op) => op(leaf()),
    /^model: layer "twice": op "twice": shape: expected rows of 4$/,
  ],
];

for (const [name, changes, use, message] of USES) {
  Deno.test(`an own op refuses ${name}`, () => refuses(() => use(twice(changes)), message));
}

const KERNELS: readonly (readonly [string, Changes, RegExp])[] = [
  [
    "names an unknown tensor",
    { code: "store_y(index, load_z(index));" },
    /load_z\(\) names no tensor of the op; did you mean "x"\?/,
  ],
  [
    "writes an input",
    { code: "store_x(index, 1.0); store_y(index, 1.0);" },
    /store_x\(\) writes an input; kernels write y$/,
  ],
  [
    "reads an unknown uniform",
    { code: "store_y(index, u.scale);" },
    /`uniforms` returns no "scale", which the code reads/,
  ],
  ["writes no output", { code: "let a = load_x(index); // store_y(" }, /does not write y; call store_y\(i, value\)/],
  ["is a whole entry point", { code: "@compute fn main() {}" }, /remove @compute and fn main/],
  [
    "has a uniform that is no u32",
    { uniforms: () => ({ a: 0.5 }) },
    /uniform a is 0.5, but a bare number is a u32; write/,
  ],
  [
    "has a uniform that is not finite",
    { uniforms: () => ({ a: { f32: NaN } }) },
    /uniform a is NaN; expected a finite/,
  ],
  [
    "has no invocations",
    { invocations: () => 0 },
    /invocations of kernel "elements": expected a whole number of at least 1/,
  ],
  ["has vectors of no tensor", { vectors: ["z"] }, /vectors of kernel "elements": "z" is not a tensor of the op/],
  [
    "has too large workgroups",
    { workgroupSize: [64, 64] },
    /workgroupSize of kernel "elements" is 64 x 64 x 1; expected at/,
  ],
  ["does not support the shapes", { when: () => false }, /no kernel supports x f32\[2, 3\] on this adapter/],
];

for (const [name, changes, message] of KERNELS) {
  Deno.test(`a kernel that ${name} is refused with the layer and the op`, () => {
    const y = twice(kernel(changes))(leaf());
    refuses(() => candidatesOf(y, DEFAULT_TRAITS), message);
    refuses(() => candidatesOf(y, DEFAULT_TRAITS), /^model: layer "twice": op "twice": /);
  });
}

function trained(op: (x: Tensor) => Tensor): void {
  const model: Layer = (x) => op(x.graph.leaf("parameter", "w", rowMajor([2, 3], "f32")));
  compileTraining(optionsOf(model, [2, 3]));
}

const GRADIENTS: readonly (readonly [string, Changes, RegExp])[] = [
  [
    "is missing",
    { gradient: undefined },
    /^model: layer "twice": op "twice" has no gradient, but parameters .*defineOp/,
  ],
  [
    "leaves out an input",
    { gradient: () => ({}) },
    /^op "twice": gradient \(layer "twice"\): x is missing; return its/,
  ],
  [
    "is no tensor",
    { gradient: () => ({ x: 1 }) },
    /gradient \(layer "twice"\): x is a number; expected a tensor or null/,
  ],
  [
    "has another shape",
    { gradient: ({ gradients: { y } }: { gradients: { y: Tensor } }) => ({ x: sum(y, { axes: 0 }) }) },
    /x has shape \[3\]; expected the input's, \[2, 3\]/,
  ],
  ["throws", { gradient: () => assert.fail("no idea") }, /^op "twice": gradient \(layer "twice"\): no idea$/],
];

for (const [name, changes, message] of GRADIENTS) {
  Deno.test(`a gradient that ${name} is refused with the layer and the op`, () => {
    const { gradient, ...rest } = { ...definition, ...changes };
    const op = defineOp((gradient === undefined ? rest : { ...rest, gradient }) as never) as unknown as Layer;
    refuses(() => trained(op), message);
  });
}

Deno.test("an op without a gradient can be used where nothing before it is trained", () => {
  const { gradient: _, ...rest } = definition;
  const op = defineOp(rest as never) as unknown as Layer;
  compileTraining(optionsOf((x) => op(x), [2, 3]));
});

Deno.test("two definitions of a type are refused in one model, but not in two models", () => {
  const [a, b] = [twice(), twice()];
  refuses(() => b(a(leaf())), /^op "twice": this model uses two definitions of the type; call defineOp once/);
  const cube = () => defineOp({ type: "cube", inputs: ["x"], value: "x * x * x", flops: 2 });
  refuses(() => cube()(cube()(leaf())), /^op "cube": this model uses two definitions of the type/);
  a(leaf());
  b(leaf());
});
