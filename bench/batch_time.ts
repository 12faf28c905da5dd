/**
 * Device time of steps with larger batches, compared with what advice predicts from a step with a smaller one. The constant
 * of `runtime/analysis/advice/planned_time.ts` comes from it.
 *
 *     deno task bench:batch-time
 *     deno task bench:batch-time --nets gpt,wide --rounds 12
 */
import { parseArgs } from "node:util";
import {
  adamW,
  conv2d,
  crossEntropy,
  flatten,
  globalAvgPool2d,
  gpt,
  linear,
  measure,
  relu,
  type Result,
  type ScenarioDefinition,
  sequential,
  sgd,
  syntheticImages,
  tensors,
  tokens,
} from "../mod.ts";
import { contextOf } from "../runtime/analysis/advice/context.ts";
import { plannedTime } from "../runtime/analysis/advice/planned_time.ts";
import { compileVariant } from "../runtime/compile/variant.ts";
import { describeDataset } from "../runtime/data/describe.ts";
import { Device } from "../runtime/device/device.ts";
import { planner } from "../runtime/experiment/variant/plan_step.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";

type Settings = Partial<ScenarioDefinition<Record<never, never>>>;

/** Fractions of the roofline to try as the constant. */
const FRACTIONS = [0.02, 0.03, 0.05, 0.1, 0.2, 0.4, 1];

const features = 1024;
const images = syntheticImages({ height: 32, width: 32, classes: 10, length: 2048 });

const NETS: Readonly<Record<string, Settings & { readonly batches: readonly number[] }>> = {
  chain: {
    model: sequential(
      flatten(),
      ...Array.from({ length: 8 }, () => sequential(linear(16), relu())),
      linear(10),
    ),
    data: images,
    batches: [2, 8, 32],
  },
  convolutions: {
    model: sequential(
      ...Array.from({ length: 3 }, () => sequential(conv2d(16, { kernel: 3, padding: 1 }), relu())),
      globalAvgPool2d(),
      flatten(),
      linear(10),
    ),
    data: images,
    batches: [1, 2, 8],
  },
  wide: {
    model: sequential(linear(features), relu(), linear(features), relu(), linear(10)),
    optimizer: adamW({ learningRate: 1e-3 }),
    data: tensors({
      input: { shape: [features], data: new Float32Array(256 * features).fill(0.1) },
      target: { data: new Int32Array(256) },
      classes: 10,
    }),
    batches: [2, 8, 16],
  },
  gpt: {
    model: gpt({ layers: 4, heads: 2, width: 32, context: 32, vocabulary: 64 }),
    data: tokens({ array: Int32Array.from({ length: 8192 }, (_, i) => i * i % 64), context: 32, vocabulary: 64 }),
    batches: [2, 4, 16],
  },
};

const { values } = parseArgs({
  options: { nets: { type: "string", default: Object.keys(NETS).join() }, rounds: { type: "string", default: "6" } },
});

const errors = new Map<number, number[]>(FRACTIONS.map((fraction) => [fraction, []]));
const device = await Device.open();
console.log(`net           batches   measured, ms   predicted / measured with ${FRACTIONS.join(", ")} of the roofline`);
for (const net of values.nets.split(",")) {
  const { batches, ...own } = NETS[net]!;
  const variants = Object.fromEntries(batches.map((batchSize) => [`b${batchSize}`, { loader: { batchSize } }]));
  const definition = { name: net, loss: crossEntropy(), optimizer: sgd({ learningRate: 0.01 }), ...own, variants };
  const result = await measure({
    ...definition as Required<Settings>,
    measure: { steps: 4, skip: 2, maxSkip: 4, rounds: Number(values.rounds), aa: false },
    profile: { warmup: 1, active: 5 },
    bottleneck: true,
  });
  const { variants: resolved } = resolveScenario(definition as Required<Settings>);
  batches.forEach((from, i) => {
    const { config } = resolved[i]!;
    const dataset = describeDataset(config.data);
    const context = contextOf({
      variant: result.variants[i]!,
      baseline: null,
      cores: null,
      software: result.environment.adapter?.fallback === true,
      peaks: result.roofline?.peaks ?? null,
      memoryLimit: null,
      data: null,
      plan: planner(config, dataset, device.traits, compileVariant(config, dataset, device.traits)),
    })!;
    for (const to of batches.slice(i + 1).filter((to) => to <= 8 * from)) {
      const measured = deviceTime(result, batches.indexOf(to));
      const ratios = FRACTIONS.map((fraction) => {
        const ratio = plannedTime(context, { batch: to / from }, fraction)!.device / measured;
        errors.get(fraction)!.push(Math.abs(Math.log(ratio)));
        return ratio.toFixed(2);
      });
      const times = `${deviceTime(result, i).toFixed(2)} -> ${measured.toFixed(2)}`;
      console.log(`${net.padEnd(12)}  ${`${from} -> ${to}`.padEnd(8)}  ${times.padEnd(15)}  ${ratios.join("  ")}`);
    }
  });
}
device.destroy();
const typical = [...errors.values()].map((each) => {
  const mean = each.reduce((sum, error) => sum + error, 0) / each.length;
  return `${(100 * (Math.exp(mean) - 1)).toFixed(0)} %`;
});
console.log(`mean error of the ratio: ${typical.join(", ")}`);

/** Returns the device time of a variant's step: ms. */
function deviceTime({ variants }: Result, index: number): number {
  const { forward, backward, update } = variants[index]!.metrics;
  return forward!.value + backward!.value + update!.value;
}
