import { median } from "../runtime/core/statistics.ts";
import { lastLine, load, rangeOf, runOwn, runPeer } from "./peer_process.ts";
import type { RecordCase } from "./record/recorder.ts";
import { expected, flopsOf, KERNELS, type KernelTime } from "./peers/kernels.ts";

/** Functions that run a kernel in each library. */
const SCRIPTS: Readonly<Record<string, (kernel: string) => Promise<string>>> = {
  tacho: (kernel) => runOwn("tacho_kernels.ts", kernel),
  "jax-js": (kernel) => runPeer("jax_kernels.ts", kernel),
  "tfjs-webgpu": (kernel) => runPeer("tfjs_kernels.ts", kernel),
};

/** Times single kernels in the libraries, which take turns, prints one table and records it. */
export async function compareKernels(
  libraries: readonly string[],
  rounds: number,
  record: RecordCase,
): Promise<void> {
  console.log(`kernels, f32, ${rounds} rounds, ${load()}\n`);
  console.log("| kernel | library | ms | range | GFLOP/s | Tacho is faster by | range |");
  console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
  for (const [name, kernel] of Object.entries(KERNELS)) {
    const times = new Map<string, number[]>(libraries.map((library) => [library, []]));
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < libraries.length; i++) {
        const library = libraries[(i + round) % libraries.length]!;
        const { time, element } = lastLine<KernelTime>(await SCRIPTS[library]!(name));
        const wanted = expected(kernel);
        if (!(Math.abs(element - wanted) <= 1e-4 * (1 + Math.abs(wanted)))) {
          throw new Error(`${library}: ${name} gives ${element}, expected ${wanted}`);
        }
        times.get(library)!.push(time);
      }
    }
    const own = times.get("tacho");
    const figures: Record<string, number> = {};
    for (const [library, all] of times) {
      const ratios = library === "tacho" || own === undefined ? [] : all.map((time, i) => time / own[i]!);
      const prefix = library.replaceAll("-", "_");
      figures[`${prefix}_wall_ms`] = median(all);
      if (ratios.length > 0) figures[`${prefix}_ratio`] = median(ratios);
      const speed = flopsOf(kernel) / median(all) / 1e6;
      console.log(
        `| ${name} | ${library} | ${median(all).toFixed(2)} | ${rangeOf(all, 2)} | ${speed.toFixed(1)} | ` +
          `${ratios.length === 0 ? "" : `${median(ratios).toFixed(2)}x`} | ${rangeOf(ratios, 2)} |`,
      );
    }
    if (own !== undefined) record(name, { ...figures, rounds_count: rounds });
  }
  console.log(`\nafterwards ${load()}\n`);
}
