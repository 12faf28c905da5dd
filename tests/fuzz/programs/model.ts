/**
 * Builds models from drawn programs.
 *
 * @module
 */
import * as tacho from "../../../mod.ts";
import type { Layer, Tensor } from "../../../mod.ts";
import type { Instruction, Program } from "./draw.ts";

/** Attributes of all ops; an instruction has those of its op. */
interface Attrs {
  readonly axis: number;
  readonly axes: readonly number[];
  readonly keepDims: boolean;
  readonly reverse: boolean;
  readonly shape: readonly number[];
  readonly indices: readonly number[];
  readonly ranges: readonly (readonly [number, number])[];
  readonly widths: readonly (readonly [number, number])[];
  readonly value: number;
  readonly sizes: readonly number[];
  readonly part: number;
  readonly equation: string;
  readonly diagonal: number;
  readonly fill: number;
  readonly causal: boolean;
  readonly units: number;
  readonly bias: boolean;
  readonly channels: number;
  readonly kernel: [number, number];
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly groups: number;
  readonly size: [number, number];
  readonly mode: "nearest" | "bilinear";
  readonly alignCorners: boolean;
}

/** Returns an instruction's attributes as what `draw.ts` drew for its op. */
function attrsOf({ attrs }: Instruction): Attrs {
  return attrs as unknown as Attrs;
}

type Apply = (inputs: readonly Tensor[], attrs: Attrs, indices: () => Tensor) => Tensor;

const activation = (create: () => Layer): Apply => ([x]) => create()(x!);

/** Ops without parameters. Domains are limited where a value or a slope would have none. */
const OPS: Readonly<Record<string, Apply>> = {
  neg: ([x]) => tacho.neg(x!),
  abs: ([x]) => tacho.abs(x!),
  sin: ([x]) => tacho.sin(x!),
  cos: ([x]) => tacho.cos(x!),
  erf: ([x]) => tacho.erf(x!),
  sqrt: ([x]) => tacho.sqrt(tacho.add(tacho.mul(x!, x!), 0.1)),
  rsqrt: ([x]) => tacho.rsqrt(tacho.add(tacho.mul(x!, x!), 0.5)),
  log: ([x]) => tacho.log(tacho.add(tacho.mul(x!, x!), 0.5)),
  exp: ([x]) => tacho.exp(tacho.minimum(x!, 1)),
  square: ([x]) => tacho.mul(x!, x!),
  power: ([x]) => tacho.pow(tacho.add(tacho.abs(x!), 0.5), 1.5),
  clamp: ([x]) => tacho.clamp(x!, { low: -1, high: 1.5 }),
  scale: ([x]) => tacho.mul(x!, 0.7),
  from_one: ([x]) => tacho.sub(1, x!),
  relu: activation(tacho.relu),
  relu6: activation(tacho.relu6),
  gelu: activation(() => tacho.gelu()),
  gelu_tanh: activation(() => tacho.gelu({ approximate: "tanh" })),
  silu: activation(tacho.silu),
  tanh: activation(tacho.tanh),
  sigmoid: activation(tacho.sigmoid),
  elu: activation(() => tacho.elu()),
  softplus: activation(() => tacho.softplus()),
  hard_swish: activation(tacho.hardSwish),
  hard_sigmoid: activation(tacho.hardSigmoid),
  leaky_relu: activation(() => tacho.leakyRelu()),
  add: ([x, y]) => tacho.add(x!, y!),
  sub: ([x, y]) => tacho.sub(x!, y!),
  mul: ([x, y]) => tacho.mul(x!, y!),
  div: ([x, y]) => tacho.div(x!, tacho.add(tacho.mul(y!, y!), 0.5)),
  maximum: ([x, y]) => tacho.maximum(x!, y!),
  minimum: ([x, y]) => tacho.minimum(x!, y!),
  where: ([x, y]) => tacho.where(tacho.greater(x!, y!), tacho.mul(x!, 2), y!),
  sum: ([x], attrs) => tacho.sum(x!, attrs),
  mean: ([x], attrs) => tacho.mean(x!, attrs),
  max: ([x], attrs) => tacho.max(x!, attrs),
  min: ([x], attrs) => tacho.min(x!, attrs),
  log_sum_exp: ([x], attrs) => tacho.logSumExp(x!, attrs),
  softmax: ([x], { axis }) => tacho.softmax({ dim: axis })(x!),
  log_softmax: ([x], { axis }) => tacho.logSoftmax({ dim: axis })(x!),
  cumsum: ([x], { axis, reverse }) => tacho.cumsum(x!, axis, { reverse }),
  reshape: ([x], { shape }) => tacho.reshape(x!, shape),
  transpose: ([x], { axes }) => tacho.transpose(x!, axes),
  slice: ([x], { ranges }) => tacho.slice(x!, ranges),
  pad: ([x], { widths, value }) => tacho.pad(x!, widths, value),
  concat: (parts, { axis }) => tacho.concat(parts, axis),
  stack: (parts, { axis }) => tacho.stack(parts, axis),
  split: ([x], { sizes, axis, part }) => tacho.split(x!, sizes, axis)[part]!,
  expand: ([x], { shape }) => tacho.expand(x!, shape),
  matmul: ([x, y]) => tacho.mul(tacho.matmul(x!, y!), x!.shape.at(-1)! ** -0.5),
  einsum: ([x, y], { equation }) => tacho.mul(tacho.einsum(equation, x!, y!), 0.3),
  take: ([x], { axis }, indices) => tacho.take(x!, indices(), axis),
  gather: ([x], { axis }, indices) => tacho.gather(x!, axis, indices()),
  scatter_add: ([x, source], { axis }, indices) => tacho.scatterAdd(x!, axis, indices(), source!),
  tril: ([x], attrs) => tacho.tril(x!, attrs),
  triu: ([x], attrs) => tacho.triu(x!, attrs),
  attention: ([q, k, v], attrs) => tacho.scaledDotProductAttention(q!, k!, v!, attrs),
};

/** Creates the layers of ops that have parameters or are defined as layers. */
const LAYERS: Readonly<Record<string, (attrs: Attrs, instruction: Instruction) => Layer>> = {
  linear: ({ units, bias }) => tacho.linear(units, { bias }),
  layer_norm: () => tacho.layerNorm(),
  rms_norm: () => tacho.rmsNorm(),
  conv2d: ({ channels, ...options }) => tacho.conv2d(channels, options),
  batch_norm: () => tacho.batchNorm(),
  instance_norm: () => tacho.instanceNorm({ affine: true }),
  prelu: (_, { shape }) => tacho.prelu({ numParameters: shape[1]! }),
  max_pool2d: ({ stride, padding }) => tacho.maxPool2d({ kernel: 2, stride, padding }),
  avg_pool2d: ({ stride, padding }) => tacho.avgPool2d({ kernel: 2, stride, padding }),
  adaptive_avg_pool2d: ({ size }) => tacho.adaptiveAvgPool2d(size),
  upsample: ({ mode, alignCorners }) => tacho.upsample({ scaleFactor: 2, mode, alignCorners }),
};

/** Returns the name under which an instruction's parameters are found, such as `op7.linear.weight`. */
export const nameOf = (number: number): string => `op${number}`;

/** Creates a model whose output, `[batch, 1]`, depends on every result that no other op reads. */
export function modelOf(program: Program): Layer {
  const layers = program.map((instruction, number) => layerOf(instruction, nameOf(number)));
  const isRead = new Set(program.flatMap(({ inputs }) => inputs));
  return tacho.layer((input) => {
    const results: Tensor[] = [];
    for (const [number, instruction] of program.entries()) {
      const { op, inputs } = instruction;
      const own = layers[number]!;
      const read = inputs.map((place) => results[place]!);
      results.push(
        op === "input"
          ? input
          : op === "parameter" || op in LAYERS
          ? own!(read[0] ?? input)
          : OPS[op]!(read, attrsOf(instruction), () => tacho.cast(own!(input), "i32")),
      );
    }
    const ends = results.flatMap((x, number) =>
      isRead.has(number) ? [] : [tacho.mean(tacho.mul(x, tacho.sin(tacho.add(x, number))))]
    );
    return tacho.expand(tacho.reshape(ends.reduce((sum, end) => tacho.add(sum, end)), [1, 1]), [input.shape[0]!, 1]);
  });
}

/** Returns the layer of an instruction that has parameters, constants or options, or null. */
function layerOf(instruction: Instruction, name: string): Layer | null {
  const { op, shape } = instruction;
  const attrs = attrsOf(instruction);
  if (op === "parameter") return tacho.parameter(name, shape, { init: tacho.normal(0, 1) });
  if ("indices" in attrs) return tacho.buffer(name, attrs.shape, { init: attrs.indices });
  const create = LAYERS[op];
  return create === undefined ? null : tacho.scope(name, create(attrs, instruction));
}
