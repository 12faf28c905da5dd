/**
 * Figures of profiled steps against sums over their dispatches, which are listed from the plan and timed by the kernels of
 * the timeline: with gradient accumulation, recomputed activations, mixed precision and a sink.
 *
 * @module
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import {
  adamW,
  conv2d,
  createTrainer,
  crossEntropy,
  flatten,
  groupNorm,
  layer,
  linear,
  range,
  relu,
  scenario,
  sequential,
} from "../../../mod.ts";
import { groupOps } from "../../../runtime/analysis/op_groups.ts";
import { rooflineOf } from "../../../runtime/analysis/roofline.ts";
import type { Plan } from "../../../runtime/compile/plan.ts";
import { runExperiment } from "../../../runtime/experiment/run_experiment.ts";
import type { Span, Timeline } from "../../../runtime/record/timeline.ts";
import { nncEntries } from "../../../runtime/report/nnc_entries.ts";
import { renderProfileCsv } from "../../../runtime/report/profile/csv.ts";
import { renderTrace } from "../../../runtime/report/trace/trace.ts";
import { type Result, resultSchema, type VariantResult } from "../../../runtime/result/schema.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { partsOf } from "../../../runtime/trainer/trainer.ts";
import { full } from "../../support/full.ts";
import { parseCsv } from "../../support/csv.ts";
import { labels, normals } from "../../support/reference/random.ts";
import { peaksOf } from "../../support/peaks.ts";
import { validateTrace } from "../../support/trace_validator.ts";
import { classified } from "../../trainer/models.ts";

const BATCH = 4;
const STEPS = 3;
const OP_ROUNDS = 2;
const HELD = { input: { shape: [3, 9, 7], data: normals(8 * 189, 5) }, target: { data: labels(8, 4, 6) } };
const stem = sequential({ conv: conv2d(5, { kernel: 3, padding: 1 }), norm: groupNorm(5), act: relu() });
const block = () =>
  sequential({ conv: conv2d(5, { kernel: 3, padding: 1 }), act: relu(), last: conv2d(5, { kernel: 1 }) });
const net = scenario({
  name: "figures",
  model: sequential({
    stem: layer((x) => range("stem", () => stem(x))),
    block1: block(),
    block2: block(),
    flat: flatten(),
    fc: linear(4),
  }),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 1e-3, weightDecay: 0.01 }),
  clipNorm: 1,
  ema: true,
  data: classified([3, 9, 7], 4, 96, { test: HELD }),
  loader: { batchSize: BATCH },
  evaluate: { every: 1 },
  compile: { fusion: false },
  measure: { steps: STEPS, skip: 1, maxSkip: 1, rounds: 2, opRounds: OP_ROUNDS, aa: false },
  variants: {
    plain: {},
    two: { accumulate: 2 },
    again: { recompute: "blocks" },
    "two-again": { accumulate: 2, recompute: "blocks" },
    "two-sink": { accumulate: 2, sink: STEPS },
    ...full
      ? {
        two: { accumulate: 2 },
        three: { accumulate: 3 },
        "three-again": { accumulate: 3, recompute: "blocks" },
        "two-amp": { accumulate: 2, amp: "O2" },
      }
      : {},
  },
});

/** A dispatch of a step. */
interface Listed {
  readonly op: string;
  readonly phase: string;
  readonly kernel: string;
  readonly batch: number | null;
}

/** A variant with its timeline, and the dispatches of a step and their times in each profiled step, in order. */
interface Measured {
  readonly variant: VariantResult;
  readonly micro: number;
  readonly plan: Plan;
  readonly spans: readonly Span[];
  readonly listed: readonly Listed[];
  readonly steps: readonly (readonly Span[])[];
}

let result: Result;
let timelines: Timeline[];
let measured: Measured[];

Deno.test.beforeAll(async () => {
  timelines = [];
  const made = await runExperiment(resolveScenario(net), {
    interrupted: () => false,
    script: { file: null, sha256: null },
    profile: { skipFirst: 0, wait: 0, warmup: 1, active: STEPS, repeat: 1 },
    onEvent: (event) => event.type === "timeline" && timelines.push(event.timeline),
  });
  result = resultSchema.parse(made);
  measured = await Promise.all(result.variants.map(async (variant, i) => {
    await using trainer = await createTrainer(net, { variant: variant.name });
    const { plan } = partsOf(trainer).session.compiled;
    const micro = Number(variant.config["accumulate"]);
    const { spans } = timelines[i]!;
    const kernels = spans.filter(({ track }) => track === "device kernels");
    const steps = [...Map.groupBy(kernels, ({ step }) => step!).values()];
    return { variant, micro, plan, spans, listed: listed(plan, micro), steps };
  }));
});

/** Lists the dispatches of a step: forward and backward for each micro-batch, then the update and weight decay alone. */
function listed({ segments, decay }: Plan, micro: number): Listed[] {
  const of = (update: boolean, batch: number | null) =>
    segments.filter(({ phase }) => (phase === "update") === update).flatMap(({ phase, dispatches }) =>
      dispatches.map(({ nodeId: op, kernel }): Listed => ({ op, phase, kernel: kernel.name, batch }))
    );
  const batches = Array.from({ length: micro }, (_, batch) => of(false, micro === 1 ? null : batch));
  const alone = decay!.dispatches.map(({ nodeId: op, kernel }) => ({
    ...{ op, kernel: kernel.name },
    phase: "weight decay",
    batch: null,
  }));
  return [...batches.flat(), ...of(true, null), ...alone];
}

const sum = (numbers: readonly (number | null)[]) => numbers.reduce<number>((total, number) => total + number!, 0);
const length = ({ start, end }: Span) => end - start;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/** Compares two figures, whose times the host's axis rounds to a nanosecond. */
function near(got: number | null | undefined, wanted: number, what: string, tolerance = 1e-4): void {
  ok(Math.abs(got! - wanted) <= tolerance * Math.abs(wanted) + 1e-9, `${what}: ${got}, expected ${wanted}`);
}

/** Returns the time in each step of the dispatches that `includes` selects. */
function times({ listed, steps }: Measured, includes: (one: Listed) => boolean): number[] {
  return steps.map((spans) => sum(spans.filter((_, i) => includes(listed[i]!)).map(length)));
}

Deno.test("kernels of the trace are the dispatches of each step, and the update follows the last micro-batch", () => {
  for (const { variant: { name, exact, profile }, listed, steps } of measured) {
    equal(steps.length, STEPS, name);
    for (const spans of steps) {
      deepEqual(spans.map(({ name, args }) => [name, args!["op"]]), listed.map(({ kernel, op }) => [kernel, op]), name);
      ok(spans.every(({ start }, i) => i === 0 || start >= spans[i - 1]!.end - 1e-6), `${name}: in order`);
    }
    equal(profile!.steps, STEPS);
    equal(exact!.dispatches, listed.filter(({ phase }) => phase !== "weight decay").length, name);
    equal(sum(exact!.kernels!.map(({ dispatches }) => dispatches)), exact!.dispatches);
  }
});

Deno.test("slices of the trace have names, places, micro-batches and the work of their ops", () => {
  deepEqual(validateTrace(renderTrace(timelines)), []);
  const { traceEvents } = JSON.parse(renderTrace(timelines)) as { traceEvents: { ph: string; name?: string }[] };
  ok(traceEvents.every(({ ph, name }) => ph !== "X" || name));
  for (const { variant: { name, exact, ops }, spans, listed, steps, micro } of measured) {
    const on = (track: string) => spans.filter((span) => span.track === track);
    const slices = on("device ops");
    const kernels = steps.flat();
    deepEqual(slices.map(({ start, end }) => [start, end]), kernels.map(({ start, end }) => [start, end]));
    slices.forEach(({ name: op, args }, i) => {
      const one = listed[i % listed.length]!;
      deepEqual([op, args!["micro-batch"] ?? null], [one.op, one.batch], name);
    });
    const inStep = slices.filter(({ name }) => ops.some(({ id }) => id === name));
    for (const work of ["flops", "bytes"] as const) {
      near(sum(inStep.map(({ args }) => Number(args![work] ?? 0))), STEPS * exact![work]!, `${name}: ${work}`);
    }
    for (const { id, total } of ops) {
      near(sum(inStep.filter(({ name }) => name === id).map(length)), total!, `${name}: slices of ${id}`);
    }
    const phases = on("device phases").filter(({ name }) => name !== "recomputed");
    const each = [...Array.from({ length: micro }, () => ["forward", "backward"]).flat(), "update", "weight decay"];
    deepEqual(phases.map(({ name }) => name), Array.from({ length: STEPS }, () => each).flat(), name);
    phases.forEach(({ start }, i) => ok(i === 0 || start >= phases[i - 1]!.end - 1e-6, name));
    equal(on("device phases").some(({ name }) => name === "recomputed"), name.endsWith("again"));
    equal(on("device ranges").length, STEPS * micro * 2, `${name}: the stem, forward and backward`);
  }
});

Deno.test("calls, times and shares of ops are sums over the dispatches of a step", () => {
  for (const one of measured) {
    const { variant: { name, ops }, listed } = one;
    const inStep = [...new Set(listed.filter(({ phase }) => phase !== "weight decay").map(({ op }) => op))];
    deepEqual(ops.map(({ id }) => id), inStep, name);
    const medians = sum(ops.map(({ median }) => median));
    for (const op of ops) {
      const what = `${name}: ${op.id}`;
      const own = times(one, (dispatch) => dispatch.op === op.id);
      equal(op.calls, STEPS, what);
      near(op.total, sum(own), what);
      near(op.mean, sum(own) / STEPS, what);
      near(op.median, median(own), what);
      near(op.min, Math.min(...own), what);
      near(op.max, Math.max(...own), what);
      near(op.share, op.median! / medians, what);
      const dispatches = listed.flatMap((dispatch, i) => dispatch.op === op.id ? [{ ...dispatch, i }] : []);
      equal(op.dispatches, dispatches.length, what);
      deepEqual(op.kernels.map(({ name }) => name), dispatches.map(({ kernel }) => kernel), what);
      for (const [k, kernel] of op.kernels.entries()) {
        const single = one.steps.map((spans) => length(spans[dispatches[k]!.i]!));
        near(kernel.total, sum(single), `${what}: kernel ${k}`);
        near(kernel.median, median(single), `${what}: kernel ${k}`);
        equal(kernel.calls, STEPS);
        ok(
          kernel.samples!.length === OP_ROUNDS && kernel.samples!.every((ms) => ms! > 0),
          `${what}: ${kernel.samples}`,
        );
      }
    }
  }
});

Deno.test("work of ops, exact counts and rates cover all micro-batches, and the update once", () => {
  const named = new Map(measured.map((one) => [one.variant.name, one.variant]));
  const convolution = 2 * BATCH * 9 * 7 * 5 * 3 * 9;
  for (const { variant: { name, ops, exact }, micro, plan } of measured) {
    const stemOp = ops.find(({ id }) => id === "stem.conv")!;
    equal(stemOp.flops, micro * convolution, name);
    for (const work of ["flops", "bytes"] as const) {
      equal(sum(ops.map((op) => op[work]! * op.calls / STEPS)), exact![work], `${name}: ${work}`);
      const nodes = plan.nodes.map((node) => node[work] * (node.phase === "update" ? 1 : micro));
      equal(sum(nodes), exact![work], `${name}: ${work} of the plan`);
    }
    if (name === "two-amp") continue;
    const single = named.get(name.endsWith("again") ? "again" : "plain")!;
    for (const op of single.ops) {
      const other = ops.find(({ id }) => id === op.id)!;
      equal(other.flops, op.flops! * (op.phase === "update" ? 1 : micro), `${name}: ${op.id}`);
    }
  }
  const again = named.get("again")!;
  const copies = again.ops.filter(({ recomputed }) => recomputed === true);
  ok(copies.length > 0 && copies.every(({ phase }) => phase === "backward"));
  equal(sum(copies.map(({ flops }) => flops)), again.exact!.flops! - named.get("plain")!.exact!.flops!);
});

Deno.test("groups and profile.csv have the work and the times of their ops", () => {
  const [headings, ...lines] = parseCsv(renderProfileCsv(result));
  const rows = lines.map((fields) => Object.fromEntries(fields.map((field, i) => [headings![i]!, field])));
  for (const one of measured) {
    const { variant: { name, ops }, listed } = one;
    for (const by of ["type", "phase"] as const) {
      for (const group of groupOps(ops, by).filter(({ depth }) => depth === 0)) {
        const members = ops.filter((op) => op[by] === group.name);
        const perStep = sum(members.map(({ median }) => median));
        deepEqual([group.ops, group.calls], [members.length, members.length * STEPS], `${name}: ${group.name}`);
        near(group.gflops ?? 0, sum(members.map(({ flops }) => flops)) / perStep / 1e6, `${name}: ${group.name}`);
        near(group.gbps ?? 0, sum(members.map(({ bytes }) => bytes)) / perStep / 1e6, `${name}: ${group.name}`);
      }
    }
    near(
      sum(groupOps(ops, "layer").filter(({ depth }) => depth === 0).map(({ perStep }) => perStep)),
      sum(ops.map(({ median }) => median)),
      `${name}: layers`,
    );
    for (const group of groupOps(ops, "kernel")) {
      const own = listed.filter(({ kernel, phase }) => kernel === group.name && phase !== "weight decay");
      equal(group.calls, own.length * STEPS, `${name}: ${group.name}`);
      near(
        group.total,
        sum(times(one, ({ kernel, phase }) => kernel === group.name && phase !== "weight decay")),
        name,
      );
      const owners = ops.filter(({ id }) => own.some(({ op }) => op === id));
      const whole = owners.every(({ kernels }) => kernels.every((kernel) => kernel.name === group.name));
      equal(group.flops, whole ? sum(owners.map(({ flops }) => flops)) : null, `${name}: ${group.name}`);
    }
    // Names that begin with @ are quoted for spreadsheets
    for (const op of ops.filter(({ id, phase }) => phase === "forward" && !id.startsWith("@"))) {
      const row = rows.find((row) =>
        row["variant"] === name && row["ops"] === op.id && row["function"] === "forward_function"
      )!;
      near(Number(row["ms"]), op.mean!, `${name}: ${op.id}`);
      near(Number(row["gflops_per_s"]), op.flops! / op.median! / 1e6, `${name}: ${op.id}`);
      near(Number(row["gb_per_s"]), op.bytes! / op.median! / 1e6, `${name}: ${op.id}`);
      equal(Number(row["dispatches"]), listed.filter((dispatch) => dispatch.op === op.id).length);
    }
  }
});

Deno.test("phases of profiled steps are the intervals, dispatches and gaps of the trace", () => {
  for (const one of measured) {
    const { variant: { name, profile, blocks, metrics }, plan, listed, steps } = one;
    deepEqual(profile!.phases.map(({ phase }) => phase), ["forward", "backward", "update"]);
    for (const { phase, interval, ops, residual, gaps, measured } of profile!.phases) {
      const what = `${name}: ${phase}`;
      const inside = times(one, (dispatch) => dispatch.phase === phase);
      const follows = (i: number) => listed[i]!.phase === phase && listed[i - 1]?.phase === phase;
      const between = steps.map((spans) =>
        sum(spans.map((span, i) => follows(i) ? span.start - spans[i - 1]!.end : 0))
      );
      near(ops, median(inside), what);
      near(interval, median(inside.map((time, i) => time + between[i]!)), what, 1e-3);
      near(residual, interval - ops, what);
      equal(gaps!.count, listed.filter((_, i) => follows(i)).length, what);
      const all = blocks.flatMap(({ steps }) => steps.map((step) => step[phase as "forward"]!));
      near(measured, median(all), what);
      near(metrics[phase as "forward"]!.value, sum(all) / all.length, what);
    }
    near(profile!.weightDecay!.total, sum(times(one, ({ phase }) => phase === "weight decay")), name);
    for (const { phase, path, entries, total, mean } of profile!.ranges.filter(({ track }) => track === "device")) {
      equal(path, "stem");
      equal(entries, STEPS * one.micro, `${name}: entries of the stem`);
      const ids = plan.nodes.filter(({ range }) => range?.path === "stem").map(({ id }) => id);
      const own = times(one, (dispatch) => dispatch.phase === phase && ids.includes(dispatch.op));
      near(total, sum(own), `${name}: ${phase} of the stem`);
      near(mean, sum(own) / entries, `${name}: ${phase} of the stem`);
    }
  }
});

Deno.test("a step's place on the roofline is that of its whole work and its phases", () => {
  const peaks = peaksOf(4e9, 2e9, 8e9);
  const { steps } = rooflineOf(peaks, result.variants);
  for (const [i, { variant: { name, exact, blocks } }] of measured.entries()) {
    const phase = (key: "forward" | "backward" | "update") =>
      median(blocks.flatMap(({ steps }) => steps.map((step) => step[key]!)));
    const time = phase("forward") + phase("backward") + phase("update");
    near(steps[i]!.time, time, name);
    near(steps[i]!.intensity, exact!.flops! / exact!.bytes!, name);
    if (name === "two-amp") continue; // parts of its work have another peak
    const attainable = Math.max(exact!.flops! / peaks.f32.value, exact!.bytes! / peaks.copy.value) * 1000;
    near(steps[i]!.attainableTime, attainable, name);
    near(steps[i]!.share, attainable / time, name);
  }
});

Deno.test("throughput, batch cost, parts of steps, uploads and copies cover all samples of a step", () => {
  for (const { variant: { name, metrics, blocks, exact, pipeline, profile }, micro } of measured) {
    const samples = BATCH * micro;
    equal(blocks[0]!.samples, samples * STEPS, name);
    near(metrics.ips!.value * metrics.batchCost!.value / 1000, samples, `${name}: samples of a step`, 1e-9);
    const all = blocks.flatMap(({ steps }) => steps);
    near(metrics.batchCost!.value, sum(blocks.map(({ wall }) => wall)) / all.length, `${name}: batch cost`, 1e-6);
    near(metrics.ips!.value, 1000 * samples * all.length / sum(blocks.map(({ wall }) => wall)), `${name}: speed`, 1e-6);
    ok(metrics.readerCost!.value <= metrics.batchCost!.value);
    near(
      metrics.deviceBusy!.value,
      sum(
        blocks.map(({ wall, steps }) =>
          Math.min(1, sum(steps.map(({ forward, backward, update }) => forward! + backward! + update!)) / wall)
        ),
      ) / blocks.length,
      `${name}: device busy`,
    );
    if (!name.endsWith("sink")) equal(exact!.uploads, 2 * micro, `${name}: input and target of each micro-batch`);
    const copy = pipeline!.stages.find(({ kind }) => kind === "copy")!;
    near(copy.perSample! * BATCH, copy.perBatch!, name);
    const host = profile!.host.find(({ name }) => name === "let data")!;
    if (!name.endsWith("sink")) near(copy.perBatch, host.total / all.length / micro, `${name}: copying a batch`, 0.01);
    near(pipeline!.ips.avg * pipeline!.batchCost.avg / 1000, samples, `${name}: speed of the input pipeline`);
  }
});

Deno.test("logs of other tools have the times of whole steps", () => {
  for (const { variant, micro } of measured) {
    const entries = nncEntries(variant);
    const host = variant.profile!.host.find(({ name }) => name === "let data")!;
    near(entries.find((entry) => entry.function === "let_data")!.ms, host.mean * micro, variant.name);
    for (const { function: name, ops, ms } of entries) {
      if (name === "forward_function" || name === "backward_function") near(ms, sum(ops.map(({ mean }) => mean)), name);
    }
  }
});
