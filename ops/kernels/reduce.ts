/**
 * Reductions of a tensor over any of its axes, with an elementwise chain before them. The dimensions are merged into
 * alternating kept and reduced ones. If the innermost is reduced, a lane (on GPUs a workgroup) reads along rows;
 * otherwise neighbouring lanes take neighbouring outputs. If there are few outputs, each sum is split, and a second
 * stage merges the parts in order. Splits depend on the shape and the class of adapter only.
 *
 * @module
 */
import type { DType } from "../../runtime/core/dtype.ts";
import { physicalOrder } from "../../runtime/core/layout.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import {
  type BufferDeclaration,
  defineKernel,
  type KernelPlan,
  LINEAR_INDEX,
  linearGrid,
  type UniformValue,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { elementType, gather, load } from "./access.ts";
import { chainCode, chainName, type ChainStep } from "./chain.ts";
import { HIDDEN_ZERO, UNPACK_F16, WIDEN_F16 } from "./half_words.ts";
import { addressOf, DIVISION, readElements, readVectors, type StridedView, stridesOf } from "./strided.ts";
import { powerOfTwoBelow, TEAM_SIZE } from "./team.ts";
import { unroll } from "./unroll.ts";

/** An associative operation. Its state and its code are vectors of four independent reductions. */
export interface Reducer {
  readonly name: string;
  readonly state: readonly { readonly name: string; readonly type: "f32" | "u32"; readonly initial: string }[];
  /** Statements that add `x`, whose index among the reduced elements is `at` (`vec4<u32>`), to the state. */
  readonly step: string;
  /** Statements that add another state, in variables with `B` appended to their names. */
  readonly merge: string;
  /** The result, `vec4<f32>`, or `vec4<u32>` for an integer output. */
  readonly result: string;
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
}

export interface ReduceOptions {
  readonly reducer: Reducer;
  /** Logical dimensions to reduce. */
  readonly axes: readonly number[];
  /** Type of what is reduced: of input 0, or of the last step. */
  readonly space: TensorType;
  /** Ops before the reduction; if there are none, input 0 is reduced. */
  readonly steps: readonly ChainStep[];
  readonly inputs: readonly TensorType[];
  /** Element type of output 0, whose dimensions are in the order in which the input stores them. */
  readonly dtype: DType;
  readonly traits: DeviceTraits;
}

/** Division of a reduction among invocations. */
interface Shares {
  /** The four elements of a vector. `rows`: of one output; `columns`: of neighbouring outputs; `single`: of any outputs. */
  readonly mode: "rows" | "columns" | "single";
  readonly outputs: number;
  /** Outputs, or vectors of four outputs. */
  readonly units: number;
  /** Elements, or vectors or pairs of vectors of elements, that are reduced to a unit. */
  readonly terms: number;
  /** True if terms are pairs of vectors of four, which is how software adapters read f16. */
  readonly pairs: boolean;
  /** Elements of a row that may begin and end within a vector; 0 if rows are whole vectors. */
  readonly ragged: number;
  /** First element or vector of a unit, and the distance to each of its terms. */
  readonly unit: StridedView;
  readonly term: StridedView;
  readonly members: number;
  readonly splits: number;
  /** Neighbouring splits that take turns, so that lanes which run together read neighbours. */
  readonly together: number;
}

/** Returns the kernels of a reduction. */
export function reducePlan(options: ReduceOptions): KernelPlan {
  const { reducer, traits, dtype, steps, inputs, space } = options;
  const shares = sharesOf(options);
  const { mode, outputs, units, terms, pairs, ragged, members, splits, together } = shares;
  const source = sourceOf(steps, inputs, space, shares, traits);
  const name = [
    "reduce",
    reducer.name,
    ragged > 0 ? "ragged" : mode,
    ...(steps.length === 0 ? [] : [chainName(steps)]),
    `${[...new Set(inputs.map((type) => type.dtype))].join("-")}_${dtype}`,
  ].join(".");
  const team = members > 1;
  const count = units * splits;
  const lanes = team ? members : traits.class === "cpu" && count < 8192 ? 8 : 64;
  const width = mode === "rows" ? 1 : 4;
  const targets: Record<string, BufferDeclaration> = splits === 1
    ? { y_: { ref: { output: 0 }, type: outputType(dtype, width) } }
    : Object.fromEntries(
      reducer.state.map((state, n) => [
        `${state.name}Part`,
        { ref: { workspace: n }, type: width === 1 ? state.type : `vec4<${state.type}>` },
      ]),
    );
  const unit = addressOf("unitAt", shares.unit, mode === "single" ? "vec4<u32>" : "u32");
  const term = addressOf("termAt", shares.term, "u32");
  const perSplit = Math.ceil(terms / (splits / together));
  const result = width === 1 ? `${reducer.result}.x` : reducer.result;
  const first = defineKernel({
    name,
    buffers: { ...source.buffers, ...targets },
    uniforms: {
      count,
      units,
      terms,
      perSplit,
      ...(mode === "single" ? { last: outputs - 1 } : {}),
      ...(ragged > 0 ? { length: ragged } : {}),
      ...(splits > 1 ? { row: width === 1 ? Math.ceil(outputs / 4) * 4 : units } : {}),
      ...unit.uniforms,
      ...term.uniforms,
      ...source.uniforms,
      ...reducer.uniforms,
    },
    workgroupSize: [lanes],
    grid: linearGrid(team ? count * members : count, lanes, traits.maxWorkgroupsPerDimension),
    prelude: [DIVISION, unit.functions, term.functions, source.prelude, team ? teamMemory(reducer, members) : ""].join(
      "\n",
    ),
    body: `  let index = ${team ? "wid.y * grid.x + wid.x" : LINEAR_INDEX(lanes)};
  if (index >= u.count) { return; }
  let unit = index % u.units;
  let split = index / u.units;
  ${
      ragged > 0
        ? "let start = unit * u.length;\n  let base = start / 4u;"
        : `let base = unitAt(${
          mode === "single" ? "min(unit * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.last))" : "unit"
        });`
    }
  ${declareState(reducer)}
  let end = min((split / ${together}u + 1u) * u.perSplit, u.terms);
  for (var t = split / ${together}u * u.perSplit + ${team ? "lix" : `split % ${together}u`}; t < end; t += ${
      team ? members : together
    }u) {
    let ${mode === "single" ? "e" : pairs ? "pair" : "i"} = base + termAt(t);
    ${
      pairs
        ? [
          source.words,
          ...[0, 1].map((h) =>
            `{
      let i = pair * 2u + ${h}u;
      let at = t * 8u + vec4<u32>(${[0, 1, 2, 3].map((j) => `${4 * h + j}u`).join(", ")});
      ${source.statements(h as 0 | 1)}
      ${reducer.step}
    }`
          ),
        ].join("\n    ")
        : ragged > 0
        ? raggedStep(reducer, source.statements(0))
        : `let at = ${mode === "rows" ? "t * 4u + vec4<u32>(0u, 1u, 2u, 3u)" : "vec4<u32>(t)"};
    ${source.statements(0)}
    ${reducer.step}`
    }
  }
  ${mode === "rows" ? [foldParts(reducer, "yxwz"), foldParts(reducer, "zwxy")].join("\n  ") : ""}
  ${team ? foldMembers(reducer, members) : ""}
  ${
      splits === 1
        ? `y_[unit] = ${outputType(dtype, width)}(${result});`
        : reducer.state.map((state) =>
          `${state.name}Part[split * u.row + unit] = ${state.name}${width === 1 ? ".x" : ""};`
        ).join("\n  ")
    }${team ? "\n  }" : ""}`,
  });
  if (splits === 1) return { name, kernels: [first], workspace: [] };
  const vectors = Math.ceil(outputs / 4);
  const second = defineKernel({
    name: `reduce_parts.${reducer.name}.${dtype}`,
    buffers: {
      ...Object.fromEntries(
        reducer.state.map((state, n) => [
          `${state.name}Part`,
          { ref: { workspace: n }, type: `vec4<${state.type}>`, access: "read" as const },
        ]),
      ),
      y_: { ref: { output: 0 }, type: outputType(dtype, 4) },
    },
    uniforms: { vectors, splits, ...reducer.uniforms },
    workgroupSize: [64],
    grid: linearGrid(vectors, 64, traits.maxWorkgroupsPerDimension),
    body: `  let i = ${LINEAR_INDEX(64)};
  if (i >= u.vectors) { return; }
  ${declareState(reducer)}
  for (var s = 0u; s < u.splits; s++) {
    ${reducer.state.map(({ name }) => `let ${name}B = ${name}Part[s * u.vectors + i];`).join("\n    ")}
    ${reducer.merge}
  }
  y_[i] = ${outputType(dtype, 4)}(${reducer.result});`,
  });
  return { name, kernels: [first, second], workspace: reducer.state.map(() => splits * vectors * 16) };
}

function sharesOf({ axes, space, inputs, traits }: ReduceOptions): Shares {
  const strides = stridesOf(space);
  const dims: { size: number; stride: number; reduced: boolean }[] = [];
  for (const d of physicalOrder(space.shape, space.layout)) {
    const size = space.shape[d]!;
    if (size === 1) continue;
    const reduced = axes.includes(d);
    const outer = dims.at(-1);
    // The elements are contiguous, so neighbours of a kind always merge
    if (outer?.reduced === reduced) dims.splice(-1, 1, { size: outer.size * size, stride: strides[d]!, reduced });
    else dims.push({ size, stride: strides[d]!, reduced });
  }
  const viewOf = (reduced: boolean): StridedView => {
    const own = dims.filter((dim) => dim.reduced === reduced);
    return { sizes: own.map(({ size }) => size), strides: own.map(({ stride }) => stride), offset: 0 };
  };
  const [kept, reduced] = [viewOf(false), viewOf(true)];
  const [outputs, elements] = [sizeOf(kept.sizes), sizeOf(reduced.sizes)];
  const inner = dims.at(-1);
  // Software adapters read whole rows of any length in vectors
  const ragged = traits.class === "cpu" && inner?.reduced === true && dims.length <= 2 && inner.size % 4 !== 0 &&
      inner.size >= SHORTEST_RAGGED
    ? inner.size
    : 0;
  const whole = inner !== undefined && (inner.size % 4 === 0 || ragged > 0);
  const mode = !whole ? "single" : inner.reduced ? "rows" : "columns";
  const units = mode === "rows" ? outputs : Math.ceil(outputs / 4);
  const pairs = mode === "rows" && inner!.size % 8 === 0 && traits.class === "cpu" &&
    inputs.some(({ dtype }) => dtype === "f16");
  const step = pairs ? 8 : 4;
  // A row of n numbers touches one more vector if it begins within one
  const terms = ragged > 0 ? Math.floor((ragged + 6) / 4) : mode === "rows" ? elements / step : elements;
  const along = inner?.reduced === true;
  const members = traits.class === "cpu" || !along || terms < 32
    ? 1
    : Math.max(32, powerOfTwoBelow(Math.min(TEAM_SIZE, terms / 4)));
  return {
    mode,
    outputs,
    units,
    terms,
    pairs,
    ragged,
    unit: ragged > 0 ? kept : whole ? inVectors(kept, step) : kept,
    term: ragged > 0 ? { sizes: [terms], strides: [1], offset: 0 } : whole ? inVectors(reduced, step) : reduced,
    members,
    ...splitsOf(units, terms, members, along, traits),
  };
}

/** Minimum length of rows that are read in vectors although they may begin within one. */
const SHORTEST_RAGGED = 16;

/** Returns statements that add the numbers of vector `i` to the state that lie in the row. */
function raggedStep({ state, step }: Reducer, read: string): string {
  return `let at = i * 4u + vec4<u32>(0u, 1u, 2u, 3u) - start;
    let inside = at < vec4<u32>(u.length);
    ${read}
    ${state.map(({ name }) => `let ${name}Before = ${name};`).join(" ")}
    ${step}
    ${state.map(({ name }) => `${name} = select(${name}Before, ${name}, inside);`).join(" ")}`;
}

/** Returns a view in vectors of `step` numbers; the dimension with stride 1, if any, is that many times as short. */
function inVectors({ sizes, strides }: StridedView, step: 4 | 8): StridedView {
  const short = sizes.map((size, d) => strides[d] === 1 ? size / step : size);
  // Addresses need no dimension of a single vector
  const long = short.flatMap((size, d) => size > 1 ? [d] : []);
  return {
    sizes: long.map((d) => short[d]!),
    strides: long.map((d) => strides[d] === 1 ? 1 : strides[d]! / step),
    offset: 0,
  };
}

/** Lanes that a software adapter runs as one vector. */
const SIDE = 8;

/**
 * Terms of a part on software adapters if they are far from each other in memory: few enough that their neighbours, which
 * other lanes read next, are still in the cache.
 */
const NEAR = 64;

/** Returns the number of parts of each reduction, enough to keep a device busy with at least 16 terms in each. */
function splitsOf(units: number, terms: number, members: number, along: boolean, traits: DeviceTraits) {
  const wanted = traits.class === "cpu" ? 256 : members > 1 ? 384 : 16384;
  const most = Math.min(Math.floor(terms / members / 16), 256);
  const near = traits.class === "cpu" && !along ? Math.floor(terms / NEAR) : 0;
  const splits = Math.max(1, Math.min(Math.max(Math.ceil(wanted / units), near), most));
  // A single output's parts are neighbouring lanes
  if (traits.class === "cpu" && units === 1 && splits >= SIDE) {
    return { splits: Math.floor(splits / SIDE) * SIDE, together: SIDE };
  }
  return { splits: Math.ceil(terms / Math.ceil(terms / splits)), together: 1 };
}

/** Returns WGSL for `x`, from vector `i` of the tensor, from half of pair `pair` or from its four elements `e`. */
function sourceOf(
  steps: readonly ChainStep[],
  types: readonly TensorType[],
  space: TensorType,
  { mode, pairs }: Pick<Shares, "mode" | "pairs">,
  traits: DeviceTraits,
) {
  const input = { form: { name: "x", inputs: ["x"], value: "x", flops: 0 }, sources: [{ input: 0 }] };
  const chain = chainCode(steps.length === 0 ? [input] : steps, types, space);
  const single = mode === "single";
  const buffers: Record<string, BufferDeclaration> = { ...chain.buffers };
  const uniforms: Record<string, UniformValue> = { ...chain.uniforms };
  const functions = new Set([chain.prelude]);
  const words: string[] = [];
  const reads: ((side: 0 | 1) => string)[] = [];
  for (const [name, { ref, dtype }] of Object.entries(chain.inputs)) {
    const half = dtype === "f16" && traits.class === "cpu";
    const packed = half && !single;
    const type = packed ? `vec${pairs ? 4 : 2}<u32>` : elementType(dtype, single ? 1 : 4);
    buffers[`${name}_`] = { ref, type, access: "read" };
    if (half) functions.add(single ? WIDEN_F16 : UNPACK_F16);
    if (packed && pairs) words.push(`let ${name}_words = ${name}_[pair];`);
    const elements = gather(`${name}_`, ["e.x", "e.y", "e.z", "e.w"], dtype);
    reads.push((side) => {
      const value = packed
        ? `unpackF16(${pairs ? `${name}_words.${["xy", "zw"][side]}` : `${name}_[i]`}, ${HIDDEN_ZERO})`
        : !single
        ? load(`${name}_`, "i", dtype, 4)
        : half
        ? `widenF16(${elements}, ${HIDDEN_ZERO})`
        : elements;
      return `let ${name} = ${value};`;
    });
  }
  for (const [name, { ref, dtype, view }] of Object.entries(chain.spread)) {
    const read = (single ? readElements : readVectors)(`${name}_`, dtype, view);
    buffers[`${name}_`] = { ref, type: read.type, access: "read" };
    Object.assign(uniforms, read.uniforms);
    functions.add(read.functions);
    reads.push(() => `let ${name} = vec4<f32>(${name}_At(${single ? "e" : "i"}));`);
  }
  const value = `let x = v${Math.max(0, steps.length - 1)};`;
  return {
    buffers,
    uniforms,
    prelude: [...functions].join("\n"),
    words: words.join("\n    "),
    statements: (side: 0 | 1) => [...reads.map((read) => read(side)), chain.statements, value].join("\n    "),
  };
}

function outputType(dtype: DType, width: 1 | 4): string {
  return width === 1 ? dtype : `vec4<${dtype}>`;
}

function declareState({ state }: Reducer): string {
  return state.map(({ name, type, initial }) => `var ${name} = vec4<${type}>(${initial});`).join("\n  ");
}

/** Returns statements that merge each part of the state with another. */
function foldParts({ state, merge }: Reducer, swizzle: string): string {
  return `{ ${state.map(({ name }) => `let ${name}B = ${name}.${swizzle};`).join(" ")} ${merge} }`;
}

function teamMemory({ state }: Reducer, members: number): string {
  return state.map(({ name, type }) => `var<workgroup> ${name}Team: array<vec4<${type}>, ${members}>;`).join("\n");
}

/** Returns statements that merge the states of a workgroup by a tree, and the head of a block for its first member. */
function foldMembers({ state, merge }: Reducer, members: number): string {
  const write = state.map(({ name }) => `${name}Team[lix] = ${name};`).join(" ");
  return `${write}
${
    unroll(Math.log2(members), (step) => {
      const half = members / 2 ** (step + 1);
      const read = state.map(({ name }) => `let ${name}B = ${name}Team[lix + ${half}u];`).join(" ");
      return `  workgroupBarrier();\n  if (lix < ${half}u) { ${read} ${merge} ${write} }`;
    })
  }
  if (lix == 0u) {`;
}
