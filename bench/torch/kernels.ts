import { median } from "../../runtime/core/statistics.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { lastLine, load, rangeOf, runOwn } from "../peer_process.ts";
import { type KernelsTask, type KernelTimes, torchKernels } from "../peers/torch_kernels.ts";
import type { RecordCase } from "../record/recorder.ts";
import type { TorchArguments } from "./arguments.ts";
import { runTorch } from "./process.ts";

/** Approximate duration of a block of runs, in ms. */
const MIN_MS = 200;

/** Times single kernels in Tacho and in PyTorch, which take turns, and prints one table. */
export async function compareKernelsWithTorch(
  { python, rounds, autotune, channelsLast }: TorchArguments,
  device: "cuda" | "cpu",
  dtypes: readonly FloatType[],
  record: RecordCase,
): Promise<void> {
  const task: KernelsTask = { cases: torchKernels(device === "cuda", dtypes), least: MIN_MS, autotune: false };
  const libraries: Readonly<Record<string, () => Promise<KernelTimes>>> = {
    tacho: () => runTacho(task),
    ...autotune ? { "tacho autotuned": () => runTacho({ ...task, autotune: true }) } : {},
    pytorch: () => runTorch<KernelTimes>(python, { ...task, do: "kernels", device, channelsLast }),
  };
  const names = Object.keys(libraries);
  const runs = new Map<string, KernelTimes[]>(names.map((name) => [name, []]));
  console.log(`kernels, ${rounds} rounds, ${load()}\n`);
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length]!;
      runs.get(name)!.push(await libraries[name]!());
    }
  }
  console.log("| kernel | library | ms | range | GFLOP/s | Tacho's speed / PyTorch's | range |");
  console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
  const flops = runs.get("tacho")![0]!.flops!;
  for (const { name: kernel } of task.cases) {
    const torch = runs.get("pytorch")!.map(({ times }) => times[kernel]!);
    const figures: Record<string, number> = {};
    for (const name of names) {
      const times = runs.get(name)!.map(({ times }) => times[kernel]!);
      const ratios = name === "pytorch" ? [] : times.map((time, i) => torch[i]! / time);
      const prefix = name.replaceAll(" ", "_");
      figures[`${prefix}_ms`] = median(times);
      if (ratios.length > 0) figures[`${prefix}_to_pytorch_ratio`] = median(ratios);
      console.log(
        `| ${kernel} | ${name} | ${median(times).toFixed(3)} | ${rangeOf(times, 3)} | ` +
          `${(flops[kernel]! / median(times) / 1e6).toFixed(1)} | ` +
          `${ratios.length === 0 ? "" : `${median(ratios).toFixed(3)}x`} | ${rangeOf(ratios, 3)} |`,
      );
    }
    record(`${kernel}, PyTorch on ${device}`, figures);
  }
  console.log(`\nafterwards ${load()}`);
}

async function runTacho(task: KernelsTask): Promise<KernelTimes> {
  return lastLine<KernelTimes>(await runOwn("tacho_torch_kernels.ts", JSON.stringify(task)));
}
