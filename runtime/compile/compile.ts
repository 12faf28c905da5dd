import { embeddingOp, type GatherAttrs } from "../../ops/gather.ts";
import { cast } from "../../ops/cast.ts";
import { flatten } from "../../ops/flatten.ts";
import { isCorrect } from "../../ops/is_correct.ts";
import { sumBySample } from "../../ops/sum.ts";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { lazyField } from "../core/lazy.ts";
import { suggestion } from "../core/nearest.ts";
import { newSha256 } from "../core/sha256.ts";
import { shownPhases } from "../record/phases.ts";
import { roundUp } from "../core/round_up.ts";
import type { Graph } from "../graph/graph.ts";
import { leafAttrs } from "../graph/leaf.ts";
import type { Node, Tensor } from "../graph/op.ts";
import { bufferBytes, rowMajor } from "../graph/types.ts";
import { applyPerSample, ignoredClass, isClasses, type LossSpec } from "../nn/losses.ts";
import { checkFileWeights } from "../nn/parameter.ts";
import { rateScheduleOf } from "../nn/schedules.ts";
import { accumulation, gradientBytes } from "./accumulate.ts";
import { applyAmp, keptNodes, unmatchedKeepF32 } from "./amp.ts";
import { packArena, validElements } from "./arena.ts";
import { averageBytes, averaging } from "./average.ts";
import { addAssignments, addGradients, buildProgram, fieldsOf, ownTensor } from "./build.ts";
import { decayWork } from "./decay.ts";
import { applyFusion, fusionsOf } from "./fusion.ts";
import { fuseElementwise } from "./fusion/elementwise.ts";
import { fuseNormGrad } from "./fusion/norm_grad.ts";
import type { CompileOptions, LeastMemory } from "./compile_options.ts";
import { clipBytes, clipping } from "./clip.ts";
import {
  BINDING_ALIGNMENT,
  byGroup,
  LOSS_SCALE,
  NO_WORK,
  optimizerStates,
  POSITION,
  STEP_STATE,
  STEP_STATE_BYTES,
  updateDispatches,
  updateGroups,
} from "./update.ts";
import { liveNodes, lower, type Lowered } from "./lower.ts";
import {
  type ArenaLayout,
  type IndexLimit,
  type Location,
  type PersistentBuffer,
  type Plan,
  type PlannedNode,
  runsPerStep,
  type Segment,
} from "./plan.ts";
import { checkTensors, leastSlotBytes } from "./precheck.ts";
import { recompute } from "./recompute.ts";
import type { Program } from "./rewrite.ts";
import type { Placement } from "./views.ts";

/**
 * Compiles a training step: forward, then backward and update if there is an optimizer.
 *
 * @throws {InputError} if shapes do not fit together, or a tensor is larger than the adapter can bind
 */
export function compileTraining(options: CompileOptions): Plan {
  const forward = transform(options, "train");
  if (forward.loss === null) return compileForward(options, forward, "train");
  const training = options.optimizer !== null;
  const accumulate = training ? options.accumulate ?? 1 : 1;
  const differentiated = training ? addGradients(forward) : new Map<Tensor, Tensor>();
  const assigned = addAssignments(forward, training);
  const needed = [forward.loss, ...differentiated.values(), ...assigned.values()];
  const again = recompute(forward, needed, training ? options.recompute ?? "none" : "none");
  const { program, roots } = joined(options, again.program, again.roots);
  const [finalLoss, ...others] = roots as [Tensor, ...Tensor[]];
  const gradients = new Map([...differentiated.keys()].map((parameter, i) => [parameter, others[i]!]));
  const { parameters, state, leaves } = arenas(program, options);
  const kept = new Map<string, Location>();
  for (const [parameter, gradient] of gradients) {
    const place = leaves.get(parameter.node.id)!;
    kept.set(keyOf(gradient), { ...place, buffer: accumulate > 1 ? "microGradients" : "gradients" });
  }
  keepAssigned(kept, assigned, others.slice(gradients.size), leaves);
  const places = placement(leaves, kept);
  const ema = training ? options.ema ?? null : null;
  precheck(options, program, roots, places, {
    parameters: parameters.bytes + state.bytes,
    gradients: training ? gradientBytes(parameters, accumulate) : 0,
    optimizer: optimizerStates(options.optimizer, parameters).reduce((a, b) => a + b, 0) +
      averageBytes(parameters, ema),
  });
  const lowered = lower(program.graph, roots, places, options);
  const loss = lowered.locate(finalLoss);
  const scaler = training ? options.amp.scaler : null;
  const trained = new Set([...gradients.keys()].map(({ node }) => node.id));
  const clipNorm = training ? options.clipNorm ?? null : null;
  const groups = updateGroups(program.graph.leaves("parameter"), trained, options.optimizer, options.groups ?? []);
  const update = updateDispatches(parameters, trained, loss, options.optimizer, scaler, options.traits, {
    accumulate,
    clip: clipping(parameters, clipNorm, options.traits),
    schedule: training ? rateScheduleOf(options.schedule ?? null) : null,
    groups,
    averages: averaging(parameters, ema, options.traits),
  });
  const segments = segmentsOf(lowered, training ? ["forward", "backward"] : ["forward"]);
  const added = accumulate > 1 ? accumulation(parameters, loss, accumulate, options.traits) : NO_WORK;
  if (accumulate > 1) segments.push({ phase: "backward", dispatches: added.dispatches });
  segments.push({ phase: "update", dispatches: update.dispatches });
  return finish(options, program, "train", lowered, segments, [...lowered.nodes, ...added.nodes, ...update.nodes], {
    accumulate,
    parameters,
    state,
    outputs: {},
    optimizerStates: optimizerStates(options.optimizer, parameters),
    gradientTable: scaler === null && clipNorm === null ? null : validElements(parameters),
    clipBytes: clipBytes(parameters, clipNorm),
    averageBytes: averageBytes(parameters, ema),
    decay: decayWork(parameters, groups, options.traits),
  });
}

/** Compiles inference: running statistics, no dropout. The model's output in f32 goes to the `output` buffer. */
export function compileInference(options: CompileOptions): Plan {
  return compileForward(options, transform(options, "infer"), "infer");
}

/**
 * Compiles inference that scores each sample, with `loss` and `correct` as sums over its rows and `lossWeight` and `counted`
 * as the weights to divide by. The loss is computed from f32 outputs, if there is one; `correct` counts the rows that are
 * classified correctly, if the targets are class indices. Without either, the plan returns the model's output.
 */
export function compileEvaluation(options: CompileOptions): Plan {
  const forward = transform(options, "infer");
  const output = cast(forward.output, "f32");
  const { graph } = forward;
  const { target: { shape, dtype } } = options.batch;
  const target = graph.input("target", rowMajor(shape, dtype));
  const scores = options.loss === null
    ? null
    : applyPerSample(options.loss, output, target, fieldsOf(graph, options.batch));
  const results = {
    ...scores !== null && { loss: scores.loss },
    ...scores !== null && scores.weight !== null && { lossWeight: scores.weight },
    ...isClasses(output, target) && correctRows(output, target, options.loss),
  };
  if (Object.keys(results).length === 0) return compileInference(options);
  return compileForward(options, forward, "infer", results);
}

/** Returns the numbers of each sample's rows that are classified correctly and that count, f32 `[n]`. */
function correctRows(output: Tensor, target: Tensor, loss: LossSpec | null): Record<"correct" | "counted", Tensor> {
  const ignoreIndex = ignoredClass(loss);
  const logits = target.shape.length === 1 ? flatten(output) : output;
  const [correct, counted] = isCorrect(logits, target, ignoreIndex === null ? {} : { ignoreIndex });
  return { correct: sumBySample(correct), counted: sumBySample(counted) };
}

/** @param results f32 tensors that share no memory with others; defaults to the model's output */
function compileForward(
  options: CompileOptions,
  forward: Program,
  mode: "train" | "infer",
  results: Readonly<Record<string, Tensor>> = { output: ownTensor(forward.output, "f32") },
): Plan {
  const assigned = addAssignments(forward, false);
  const { program, roots } = joined(options, forward, [...Object.values(results), ...assigned.values()]);
  const { parameters, state, leaves } = arenas(program, options);
  const outputs: Record<string, Location> = {};
  let offset = 0;
  Object.keys(results).forEach((name, i) => {
    const size = bufferBytes(roots[i]!.type);
    outputs[name] = { buffer: "output", offset, size };
    offset += roundUp(size, BINDING_ALIGNMENT);
  });
  const locations = Object.values(outputs);
  const kept = new Map(locations.map((location, i) => [keyOf(roots[i]!), location]));
  keepAssigned(kept, assigned, roots.slice(locations.length), leaves);
  const places = placement(leaves, kept);
  precheck(options, program, roots, places, {
    parameters: parameters.bytes + state.bytes,
    gradients: 0,
    optimizer: 0,
  });
  const lowered = lower(program.graph, roots, places, options);
  const segments = segmentsOf(lowered, ["forward"]);
  const output = "output" in results ? roots[0]! : program.output;
  return finish(options, { ...program, output }, mode, lowered, segments, lowered.nodes, {
    parameters,
    state,
    accumulate: 1,
    outputs,
    optimizerStates: [],
    gradientTable: null,
    clipBytes: 0,
    averageBytes: 0,
    decay: null,
  });
}

/** Places the new values of buffers where the buffers are. */
function keepAssigned(
  kept: Map<string, Location>,
  assigned: ReadonlyMap<Tensor, Tensor>,
  values: readonly Tensor[],
  leaves: ReadonlyMap<string, Location>,
): void {
  [...assigned.keys()].forEach((target, i) => kept.set(keyOf(values[i]!), leaves.get(target.node.id)!));
}

/** Checks the sizes that are known before kernels are generated. */
function precheck(
  { traits, checkLeast }: CompileOptions,
  { graph }: Program,
  roots: readonly Tensor[],
  placed: Placement,
  memory: Omit<LeastMemory, "activations">,
): void {
  const nodes = liveNodes(graph, roots);
  checkTensors(nodes, traits);
  checkLeast?.({ ...memory, activations: leastSlotBytes(nodes, roots, placed) });
}

/** Returns a segment for each phase of the nodes. `phases` have a segment even without dispatches. */
function segmentsOf({ dispatches }: Lowered, phases: readonly string[]): Segment[] {
  const all = new Set([...phases, ...dispatches.keys()]);
  return Array.from(all, (phase) => ({ phase, dispatches: dispatches.get(phase) ?? [] }));
}

/**
 * Fuses chains of elementwise ops and, on GPUs, gradients of norms with the ops that they read. Returns the new program
 * and `roots` in it. All leaves of the graph stay, in their order.
 */
function joined(
  options: CompileOptions,
  program: Program,
  roots: readonly Tensor[],
): { program: Program; roots: readonly Tensor[] } {
  if (!fusionsOf(options.fusion).includes("elementwise")) return { program, roots };
  const { graph } = program;
  const live = new Set(liveNodes(graph, [...roots, program.output]));
  const nodes = graph.nodes.filter((node) => live.has(node) || leafAttrs({ node } as Tensor) !== null);
  const needed = [...roots, program.output];
  const chained = fuseElementwise(graph, nodes, needed, options.traits);
  const { graph: target, map: moved } = options.traits.class === "cpu"
    ? { graph: chained.graph, map: (tensor: Tensor) => tensor }
    : fuseNormGrad(chained.graph, chained.graph.nodes, needed.map(chained.map));
  const map = (tensor: Tensor) => moved(chained.map(tensor));
  return {
    program: { graph: target, output: map(program.output), loss: program.loss === null ? null : map(program.loss) },
    roots: roots.map(map),
  };
}

/** Builds the forward program and applies fusion and AMP to it. */
function transform(options: CompileOptions, mode: "train" | "infer"): Program {
  const built = buildProgram(options.model, options.loss, options.batch, mode, options.images, options.attention);
  if (mode === "train" && options.optimizer !== null && built.loss !== null) checkFileWeights(built.graph);
  const fusions = fusionsOf(options.fusion);
  const fused = fusions.length > 0 ? applyFusion(built, fusions) : built;
  const { level, keepF32 } = options.amp;
  const [unknown] = mode === "train" ? unmatchedKeepF32(built, keepF32) : [];
  if (unknown !== undefined) {
    const names = built.graph.nodes.filter((node) => leafAttrs({ node } as Tensor) === null).map((node) => node.layer);
    throw new InputError(
      `amp.keepF32: no layer or op type is called "${unknown}"${suggestion(unknown, [...new Set(names)])}`,
    );
  }
  return applyAmp(fused, level, keptNodes(built, keepF32));
}

interface Arenas {
  readonly parameters: ArenaLayout;
  readonly state: ArenaLayout;
  readonly leaves: ReadonlyMap<string, Location>;
}

/** Packs a program's leaves into arenas and returns the location of each leaf. */
function arenas(program: Program, { groups = [] }: CompileOptions): Arenas {
  const { graph } = program;
  const parameters = packArena(byGroup(graph.leaves("parameter"), groups));
  const state = packArena(graph.leaves("state"));
  const leaves = new Map<string, Location>();
  const addArena = (layout: ArenaLayout, buffer: PersistentBuffer) => {
    for (const entry of layout.entries) {
      leaves.set(entry.name, { buffer, offset: entry.offset, size: roundUp(entry.size, 16) });
    }
  };
  addArena(parameters, "parameters");
  addArena(state, "state");
  for (const [field, { node, type }] of graph.inputs()) {
    leaves.set(node.id, { buffer: `batch.${field}`, offset: 0, size: bufferBytes(type) });
  }
  for (const leaf of graph.leaves("stepState")) leaves.set(leaf.node.id, { ...STEP_STATE, size: 16 });
  for (const leaf of graph.leaves("lossScale")) leaves.set(leaf.node.id, LOSS_SCALE);
  for (const leaf of graph.leaves("position")) leaves.set(leaf.node.id, POSITION);
  return { parameters, state, leaves };
}

function placement(leaves: ReadonlyMap<string, Location>, kept: ReadonlyMap<string, Location>): Placement {
  return (tensor) => leaves.get(tensor.node.id) ?? kept.get(keyOf(tensor)) ?? null;
}

function keyOf({ node, index }: Pick<Tensor, "node" | "index">): string {
  return `${node.id}:${index}`;
}

function finish(
  options: CompileOptions,
  program: Program,
  mode: "train" | "infer",
  lowered: Lowered,
  segments: readonly Segment[],
  nodes: readonly PlannedNode[],
  rest: Pick<
    Plan,
    | "accumulate"
    | "parameters"
    | "state"
    | "outputs"
    | "optimizerStates"
    | "gradientTable"
    | "clipBytes"
    | "averageBytes"
    | "decay"
  >,
): Plan {
  const { graph } = program;
  const flops: Record<string, number> = Object.fromEntries(shownPhases().map(({ name }) => [name, 0]));
  for (const { phase, flops: own } of nodes) {
    flops[phase] = (flops[phase] ?? 0) + own * runsPerStep(rest, phase);
  }
  return lazyField(
    {
      mode,
      segments,
      nodes,
      slots: lowered.slots,
      slotUse: lowered.slotUse,
      stepBytes: STEP_STATE_BYTES + (graph.leaves("position").length > 0 ? POSITION.size : 0),
      ...rest,
      inputs: Object.fromEntries([...graph.inputs()].map(([field, { type }]) => [field, type])),
      indices: indexLimits(graph),
      hasLoss: segments.some(({ phase }) => phase === "update"),
      output: program.output.type,
      flops,
    },
    "fingerprint",
    () => fingerprint(graph.nodes, segments, options.traits.class),
  );
}

/** Returns the embeddings that look up fields of the batch as they are; of several, the smallest. */
function indexLimits(graph: Graph): Record<string, IndexLimit> {
  const limits: Record<string, IndexLimit> = {};
  for (const [field, leaf] of graph.inputs()) {
    for (const { op, attrs, inputs: [table, indices], layer } of graph.nodes) {
      if (op.type !== embeddingOp.type || indices!.node !== leaf.node) continue;
      const rows = table!.shape[0]!;
      const wraps = (attrs as GatherAttrs).wraps === true;
      if (rows < (limits[field]?.rows ?? Infinity)) limits[field] = { layer, least: wraps ? -rows : 0, rows };
    }
  }
  return limits;
}

/** Returns a hash of the values of a parameter. Those of a model from a file are too many for JSON. */
function hashOf({ buffer, byteOffset, byteLength }: Float32Array): string {
  return newSha256().update(new Uint8Array(buffer, byteOffset, byteLength)).digest("hex");
}

/** Returns a SHA-256 hash of the graph, the kernels with their uniforms and grids, and the adapter's class. */
function fingerprint(
  nodes: readonly Node[],
  segments: readonly Segment[],
  adapterClass: string,
): string {
  const hash = newSha256();
  hash.update(adapterClass);
  for (const node of nodes) {
    const facts = [
      node.id,
      node.op.type,
      node.attrs,
      node.inputs.map((input) => `${input.node.id}:${input.index}`),
      node.outputs,
    ];
    hash.update(JSON.stringify(facts, (_, value) => isInstance(value, Float32Array) ? hashOf(value) : value));
  }
  for (const segment of segments) {
    for (const { kernel } of segment.dispatches) {
      hash.update(kernel.wgsl);
      hash.update(JSON.stringify([kernel.grid, [...kernel.uniforms ?? []]]));
    }
  }
  return hash.digest("hex").slice(0, 16);
}
