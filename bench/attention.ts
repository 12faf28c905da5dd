/**
 * Time of composed and of tiled attention by length, forward and backward, in turns: from a joint projection
 * `[n, t, 3 heads d]` to the joined heads `[n, t, heads d]`, as in a transformer, without the projections. A form's time
 * is the sum of its kernels'.
 *
 *     deno task bench:attention                         # causal, 2 samples of 4 heads of 64 features
 *     deno task bench:attention --lengths 512,2048 --features 32 --heads 8 --samples 1 --full --dtype f16
 *
 * `ratio` is composed / tiled, the median over the rounds of device time; `cpu ratio` is that of processor time, which on
 * a software adapter is the kernels' alone, regardless of other load. `memory` is the largest tensor of weights.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { add } from "../ops/add.ts";
import { bytesOf } from "../ops/buffers.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { RandomStream } from "../runtime/core/random.ts";
import { Device } from "../runtime/device/device.ts";
import { differentiate } from "../runtime/graph/autograd.ts";
import { Graph } from "../runtime/graph/graph.ts";
import { leafAttrs } from "../runtime/graph/leaf.ts";
import type { Node } from "../runtime/graph/op.ts";
import { type AttentionSetting, rowMajor } from "../runtime/graph/types.ts";
import { attendJoined } from "../runtime/nn/attend.ts";
import { drawInputs } from "./kernel_check.ts";
import { candidatesOf, timePlan } from "./plan_timer.ts";

const { values: flags } = parseArgs({
  options: {
    lengths: { type: "string", default: "128,256,512,1024,2048" },
    samples: { type: "string", default: "2" },
    heads: { type: "string", default: "4" },
    features: { type: "string", default: "64" },
    rounds: { type: "string", default: "5" },
    dtype: { type: "string", default: "f32" },
    full: { type: "boolean", default: false },
  },
});
const [n, heads, features, rounds] = [flags.samples, flags.heads, flags.features, flags.rounds].map(Number) as [
  number,
  number,
  number,
  number,
];
const dtype = flags.dtype as FloatType;

/** Device and processor time in ms. */
interface Time {
  readonly device: number;
  readonly processor: number;
}

/** The kernels of one form, forward and backward. */
interface Form {
  readonly forward: readonly Node[];
  readonly backward: readonly Node[];
}

const device = await Device.open();
console.log(
  `${device.info.name ?? "unknown adapter"} (${device.traits.class}), ${dtype}, [${n}, ${heads}, t, ${features}]`,
);
console.log(row("t", "phase", "composed ms", "tiled ms", "ratio", "cpu ratio", "memory"));
for (const t of flags.lengths.split(",").map(Number)) {
  const [composed, tiled] = [formOf("composed", t), formOf("tiled", t)];
  const weights = Math.max(...composed.forward.flatMap(({ outputs }) => outputs).map((type) => bytesOf(type)));
  for (const phase of ["forward", "backward"] as const) {
    await timeOf(composed[phase]);
    await timeOf(tiled[phase]);
    const pairs: [Time, Time][] = [];
    for (let round = 0; round < rounds; round++) {
      pairs.push([await timeOf(composed[phase]), await timeOf(tiled[phase])]);
    }
    console.log(row(
      `${t}`,
      phase,
      median(pairs.map(([a]) => a.device)).toFixed(2),
      median(pairs.map(([, b]) => b.device)).toFixed(2),
      median(pairs.map(([a, b]) => a.device / b.device)).toFixed(2),
      median(pairs.map(([a, b]) => a.processor / b.processor)).toFixed(2),
      `${(weights / 2 ** 20).toFixed(1)} MiB`,
    ));
  }
}
Deno.exit(0);

function formOf(attention: AttentionSetting, t: number): Form {
  const graph = new Graph("train", "nhwc", attention);
  const x = graph.leaf("input", "x", rowMajor([n, t, 3 * heads * features], dtype));
  const causal = !flags.full;
  const y = attendJoined(x, { heads, kvHeads: heads, causal, window: 0, rotary: false, dropout: 0 });
  const forward = computed(graph.nodes);
  differentiate(y, graph.leaf("input", "dy", y.type), [x], add);
  return { forward, backward: computed(graph.nodes).slice(forward.length) };
}

/** Returns the nodes that have kernels. */
function computed(nodes: readonly Node[]): Node[] {
  return nodes.filter((node) => leafAttrs({ node }) === null && candidatesOf(node, device).length > 0);
}

async function timeOf(nodes: readonly Node[]): Promise<Time> {
  const time = { device: 0, processor: 0 };
  for (const node of nodes) {
    const [plan] = candidatesOf(node, device);
    const { median, processor } = await timePlan(device, node, plan!, inputsOf(node), { rounds: 1 });
    time.device += median;
    time.processor += processor;
  }
  return time;
}

function inputsOf(node: Node): Float32Array[] {
  return drawInputs(node, new RandomStream(1));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function row(...cells: string[]): string {
  return cells.map((cell) => cell.padStart(12)).join("");
}
