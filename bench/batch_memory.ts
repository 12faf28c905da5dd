/**
 * Memory planned for larger batches, compared with what advice expects from the plan of a smaller one. Plans only: needs no
 * adapter. The constant of `runtime/analysis/advice/memory_bound.ts` comes from it.
 *
 *     deno task bench:batch-memory
 */
import {
  adamW,
  crossEntropy,
  flatten,
  gpt,
  linear,
  relu,
  resnet,
  type ScenarioDefinition,
  sequential,
  syntheticImages,
  tokens,
} from "../mod.ts";
import { bytesOfBatch } from "../runtime/compile/budget.ts";
import { compileVariant } from "../runtime/compile/variant.ts";
import { describeDataset } from "../runtime/data/describe.ts";
import { DEFAULT_TRAITS } from "../runtime/device/traits.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";

type Settings = Partial<ScenarioDefinition<Record<never, never>>>;

const images = syntheticImages({ height: 32, width: 32, classes: 10, length: 4096 });

const NETS: Readonly<Record<string, Settings>> = {
  mlp: { model: sequential(flatten(), linear(512), relu(), linear(512), relu(), linear(10)), data: images },
  resnet20: { model: resnet({ depth: 20, classes: 10 }), data: images },
  gpt: {
    model: gpt({ layers: 4, heads: 4, width: 128, context: 128, vocabulary: 512 }),
    data: tokens({ array: new Int32Array(400_000), context: 128, vocabulary: 512 }),
  },
};

const SETTINGS: readonly Settings[] = [{}, { sink: 10 }, { amp: "O2" }, { recompute: "blocks" }, { accumulate: 2 }];
const BATCHES = [1, 2, 8, 32];
const FACTORS = [2, 4, 8];

function memoryOf(settings: Settings, batchSize: number) {
  const definition = { name: "memory", loss: crossEntropy(), optimizer: adamW({ learningRate: 1e-3 }), ...settings };
  const [variant] = resolveScenario({ ...definition, loader: { batchSize } } as Required<Settings>).variants;
  return compileVariant(variant!.config, describeDataset(variant!.config.data), DEFAULT_TRAITS).memory;
}

console.log("net       setting                   batch  planned / expected memory of 2, 4 and 8 times the batch");
let largest = 0;
for (const [net, own] of Object.entries(NETS)) {
  for (const setting of SETTINGS) {
    if (net === "mlp" && "recompute" in setting) continue; // it has no blocks
    for (const batch of BATCHES) {
      const memory = memoryOf({ ...own, ...setting }, batch);
      const ratios = FACTORS.map((factor) =>
        memoryOf({ ...own, ...setting }, batch * factor).peak / bytesOfBatch(memory, factor)
      );
      largest = Math.max(largest, ...ratios);
      const cells = [net.padEnd(8), JSON.stringify(setting).padEnd(24), String(batch).padStart(5)];
      console.log([...cells, ...ratios.map((ratio) => ratio.toFixed(3))].join("  "));
    }
  }
}
console.log(`largest: ${largest.toFixed(4)}`);
