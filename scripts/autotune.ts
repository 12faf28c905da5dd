/**
 * Effect of kernel tuning: a residual network with the adapter's default kernels, with the fastest ones of an exhaustive
 * search, and with autotune. The search times every candidate in one go before it trains on, without times of earlier runs;
 * autotune times kernels during the warm-up steps, so training starts immediately and becomes faster, and a second run reads
 * the times from the cache. Below the matrix, each has a bar with its speed, the time that it took to choose, and the part of
 * the ops whose times were cached. `--verbosity 2` lists the candidates of each op.
 *
 * On Mesa's software adapter the defaults are nearly the fastest kernels, so the run ends there without a verdict.
 *
 *     deno run -A scripts/autotune.ts --verbosity 2
 *     deno run -A scripts/autotune.ts net=lenet loader.batchSize=64
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cifar10, crossEntropy, lenet, resnet, type Result, run, scenario, sgd, transforms as t, z } from "../mod.ts";

/** File of the search's times, which no run reads again. */
const UNSHARED = join(tmpdir(), `tacho-exhaustive-${crypto.randomUUID()}.json`);

export default scenario({
  name: "autotune",
  params: { net: z.enum(["resnet20", "lenet"]).default("resnet20").describe("network to train") },
  model: ({ net }) => net === "lenet" ? lenet({ classes: 10 }) : resnet({ depth: 20, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
  data: cifar10({ transforms: [t.normalize("cifar10")] }),
  loader: { batchSize: 32 },
  measure: { steps: 4, skip: 2, rounds: 8 },
  variants: {
    defaults: {},
    exhaustive: { compile: { autotune: { start: 1, stop: 2, seconds: 600, cache: UNSHARED } } },
    tuned: { compile: { autotune: true } },
  },
});

/** Width of the longest bar. */
const WIDTH = 40;

/** Returns a bar for each variant: its speed, the time to choose its kernels, and the hits of the cache. */
export function tuningBars({ variants }: Pick<Result, "variants">): string[] {
  const known = variants.flatMap(({ name, metrics, autotune }) => {
    const speed = metrics.ips?.value ?? null;
    return speed === null ? [] : [{ name, speed, unit: metrics.ips!.unit, autotune }];
  });
  if (known.length === 0) return [];
  const [longest, fastest] = [
    Math.max(...known.map(({ name }) => name.length)),
    Math.max(...known.map(({ speed }) => speed)),
  ];
  return known.map(({ name, speed, unit, autotune }) => {
    const bar = "█".repeat(Math.max(1, Math.round(WIDTH * speed / fastest))).padEnd(WIDTH);
    const chosen = autotune === null || autotune.ops.length === 0
      ? ""
      : `, ${(autotune.spent / 1000).toFixed(1)} s to choose, ${
        (100 * autotune.hits / autotune.ops.length).toFixed(0)
      } % of ${autotune.ops.length} ops from the cache`;
    return `${name.padEnd(longest)}  ${bar} ${speed.toPrecision(4)} ${unit}${chosen}`;
  });
}

if (import.meta.main) {
  let bars: readonly string[] = [];
  await run({
    onEvent: (event) => {
      if (event.type === "result") bars = tuningBars(event.result);
    },
  });
  await Deno.remove(UNSHARED).catch(() => {}); // unless nothing was tuned
  // stdout may hold JSON
  const print = Deno.args.some((arg) => arg === "-" || arg === "--json-lines") ? console.error : console.log;
  if (bars.length > 0) print(`\n${bars.join("\n")}`);
}
