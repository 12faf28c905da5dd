/**
 * Gates on the exact counts of real runs under load: a copy of the baseline must pass every gate, and a variant with a
 * planted change must fail the gate of each count that the change moves.
 *
 *     deno task bench:exact                          # 100 runs beside 4 busy threads
 *     deno task bench:exact --runs 10 --load 0
 *
 * Exits with 1 unless all gates are right.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { crossEntropy, linear, measure, relu, scenario, sequential, sgd, tensors, z } from "../mod.ts";
import { evaluateGates } from "../runtime/analysis/gates/evaluate_gates.ts";
import { parseGate } from "../runtime/analysis/gates/parse_gate.ts";
import type { ExactCounts } from "../runtime/result/schema.ts";
import { OtherLoad } from "./evidence/other_load.ts";
import { table } from "./simulation/markdown.ts";

const { values: flags } = parseArgs({
  options: { runs: { type: "string", default: "100" }, load: { type: "string", default: "4" } },
});
const RUNS = Number(flags.runs);

/** Counts that each planted change moves. */
const MOVED: Readonly<Record<string, readonly (keyof ExactCounts)[]>> = {
  unfused: ["dispatches", "kernels"],
  layer: ["dispatches", "pipelines", "buffers", "flops", "bytes", "peakBytes", "kernels"],
  wider: ["flops", "bytes", "peakBytes", "kernels"],
  batch: ["flops", "bytes", "peakBytes", "uploadBytes"],
  sink: ["submits", "waits", "readbacks"],
};

const COUNTS: readonly (keyof ExactCounts)[] = [
  ...["dispatches", "pipelines", "buffers", "flops", "bytes", "peakBytes", "kernels", "submits", "waits"] as const,
  ...["readbacks", "readbackBytes", "uploads", "uploadBytes", "copies", "copyBytes", "newBuffers"] as const,
];

const data = Float32Array.from({ length: 16 * 256 }, (_, i) => Math.sin(i * 0.7));
const tested = scenario({
  name: "counted",
  params: {
    hidden: z.coerce.number().default(32),
    layers: z.coerce.number().default(1),
    copy: z.coerce.number().default(0).describe("distinguishes variants that are equal otherwise"),
  },
  model: ({ hidden, layers }) =>
    sequential(...Array.from({ length: layers }, () => [linear(hidden), relu()]).flat(), linear(10)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
  data: tensors({
    input: { shape: [16], data },
    target: { data: Int32Array.from({ length: 256 }, (_, i) => i % 10) },
    classes: 10,
  }),
  loader: { batchSize: 16 },
  measure: { steps: 4, skip: 1, maxSkip: 1, rounds: 1, aa: false },
  variants: {
    baseline: {},
    again: { params: { copy: 1 } },
    unfused: { compile: { fusion: false } },
    layer: { params: { layers: 2 } },
    wider: { params: { hidden: 33 } },
    batch: { loader: { batchSize: 17 } },
    sink: { sink: 2 },
  },
});

const workers = busyThreads(Number(flags.load));
const load = OtherLoad.start();
const right = new Map(["again", ...Object.keys(MOVED)].map((name) => [name, 0]));
let adapter = "";
for (let i = 0; i < RUNS; i++) {
  const result = await measure(tested, { settings: [`seed=${i + 1}`] });
  adapter = result.environment.adapter?.name ?? "unknown";
  for (const name of right.keys()) {
    const [baseline, variant] = ["baseline", name].map((one) => result.variants.find((other) => other.name === one)!);
    if (variant!.status !== "ok") throw new Error(`${name}: ${variant!.error?.message}`);
    const then = { ...result, variants: [{ ...baseline!, name }] };
    const gates = COUNTS.map((count) => parseGate(`exact.${count}.${name}==@last`));
    const outcomes = evaluateGates(gates, result, new Map([["last", { id: "then", result: then }]]));
    const failed = COUNTS.filter((_, at) => outcomes[at]!.state !== "pass");
    const expected = MOVED[name] ?? [];
    if (expected.every((count) => failed.includes(count)) && (expected.length > 0 || failed.length === 0)) {
      right.set(name, right.get(name)! + 1);
    } else console.error(`run ${i + 1}, ${name}: failed ${failed.join(", ") || "none"}`);
  }
  if ((i + 1) % 10 === 0) console.error(`run ${i + 1} of ${RUNS}, ${load.end().toFixed(1)} busy cores of other work`);
}
workers.forEach((worker) => worker.terminate());
console.log(table(
  ["variant", "gates that must fail", "right"],
  [...right].map(([name, n]) => [name, MOVED[name]?.join(", ") ?? "none", `${n} of ${RUNS}`]),
));
console.log(`\nAdapter: ${adapter}`);
Deno.exit([...right.values()].every((n) => n === RUNS) ? 0 : 1);

function busyThreads(count: number): Worker[] {
  const url = URL.createObjectURL(new Blob(["for (;;) Math.random();"], { type: "text/javascript" }));
  return Array.from({ length: count }, () => new Worker(url, { type: "module" }));
}
