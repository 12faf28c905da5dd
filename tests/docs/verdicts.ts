/**
 * Endings of the documented commands that run a script, each as a run of the command ended on two cores with llvmpipe while
 * other programs kept the load between 1 and 10; none is an estimate, but for these:
 *
 * - Commands that differ in flags that only print, keep, allow or name the adapter (`--verbosity`, `--report`, `--allow-read`)
 *   have the ending of the same measurement, which ran with some of them.
 * - Gates with `@baseline` need a kept run (`tacho baseline set`) and ran without one, which is an error of input; their
 *   ending is that of the same measurement with other gates.
 * - standin.ts on the real CIFAR-10 ran on the stand-in, which has the same files, for 40 steps; `resnet20 --steps 400` and
 *   tuning_ladder.ts were stopped after 520 s, with a load of 5.
 * - `resnet.ts --tune` ran with `--tune-time 60`.
 *
 * verdicts_full_test.ts runs the quickest ones with large effects.
 *
 * @module
 */
import { join } from "node:path";
import { allBlocks, commandsOf, ROOT } from "./blocks.ts";

/** What the last line of a documented command says. */
export type Ending =
  /** Expected verdict of the headline on a software adapter, with a load of at most 4. */
  | "faster"
  | "slower"
  /** The headline may say that there is no verdict. The run names the number of rounds that would give one, here rounded up; 200 where it says "over 200". */
  | { readonly unclearBelow: number }
  /** The command compares nothing; what it shows instead. */
  | { readonly shows: string };

const faster = "faster";
const losses = { shows: "losses over many steps" };
const one = { shows: "the profile of one variant" };

/** Commands of the pages, and of the heads of examples, that run a script, with their endings. */
export const ENDINGS: Readonly<Record<string, Ending>> = {
  "deno run -A mine.ts": faster,
  "deno run -A mine.ts loader.batchSize=8,32 loader.numWorkers=0,2": faster,
  "deno run -A mine.ts --variants baseline,cache --rounds 12": faster,

  "deno run -A scripts/resnet.ts": faster,
  'deno run -A scripts/resnet.ts --gate "speedup.cache>=1.2"': faster,
  "deno run -A scripts/resnet.ts --bottleneck": faster,
  "deno run -A scripts/resnet.ts --advice": faster,
  "deno run -A scripts/resnet.ts --verbosity 1": faster,
  "deno run -A scripts/resnet.ts --verbosity 2": faster,
  "deno run -A scripts/resnet.ts --verbosity 3": faster,
  "deno run -A scripts/resnet.ts --sort total --top 10": faster,
  "deno run -A scripts/resnet.ts --sort median --top 5": faster,
  "deno run -A scripts/resnet.ts --group-by layer,kernel": faster,
  "deno run -A scripts/resnet.ts --profile-steps 20:30": faster,
  "deno run -A scripts/resnet.ts --report out": faster,
  "deno run -A scripts/resnet.ts --data photos": faster,
  "deno run -A scripts/resnet.ts --variants baseline,cache": faster,
  "deno run -A scripts/resnet.ts sink=10 --rounds 8": faster,
  "deno run -A scripts/resnet.ts depth=14 optimizer.learningRate=0.05": faster,
  "deno run -A scripts/resnet.ts amp=O0,O2 loader.numWorkers=0,2": faster,
  "deno run -A scripts/resnet.ts loader.numWorkers=0,1,2 --pipeline": faster,
  "deno run -A scripts/resnet.ts amp=O0,O2 --rounds 40": "slower",
  "deno run -A scripts/resnet.ts --tune": { shows: "the ladder of settings" },

  "deno run -A scripts/mlp.ts --adapter high-performance": faster,
  'deno run -A scripts/mlp.ts --gate "speedup.sink>=1.02" --gate "memory.peak.sink<=96MiB"': faster,
  'deno run -A scripts/mlp.ts --gate "batchCost.*<=+200%@baseline" --gate "verdict.sink==faster"': faster,
  'deno run -A scripts/mlp.ts --gate "exact.dispatches.*<=@baseline" --gate "exact.kernels.*==@baseline"': faster,
  'deno run -A scripts/mlp.ts --gate "exact.uploadBytes.sink<=1600KiB" --gate "exact.waits.sink<=0.1"': faster,
  "deno run --allow-read --allow-env --allow-sys scripts/mlp.ts --no-store": faster,
  "deno run --allow-read --allow-env --allow-sys --allow-write=out.json scripts/mlp.ts --no-store --json out.json":
    faster,
  "deno run --allow-read --allow-env --allow-sys --allow-write --allow-run scripts/mlp.ts": faster,
  "deno run -A scripts/mlp.ts --diff baseline amp": faster,
  "deno run -A scripts/mlp.ts sink=0,5,20": faster,
  "deno run -A scripts/mlp.ts monitor=block,step": "slower",
  "deno run -A scripts/mlp.ts loader.batchSize=32,128 sink=0,8": faster,
  "deno run -A scripts/mlp.ts hidden=16..256:x2 sink=0,8 --variants '*sink=8'": faster,
  "deno run -A scripts/mlp.ts hidden=16..256:x2 sink=0,8 --exclude 'hidden=256,*'": faster,
  "deno run -A scripts/mlp.ts hidden=16,256 seeds=5 --rounds 8": "slower",
  "deno run -A scripts/mlp.ts clipNorm=1 ema.decay=0.9,0.999": { unclearBelow: 200 },
  "mpirun -n 2 deno run -A scripts/mlp.ts distribute=false,true": "slower",

  "deno run -A scripts/lenet.ts --log mindinsight --variants baseline": one,
  "deno run -A scripts/lenet.ts --log nnc --variants baseline": one,
  "deno run -A scripts/lenet.ts --log paddle --variants baseline": one,
  "deno run -A scripts/lenet.ts --log singa --variants baseline": one,
  "deno run -A scripts/lenet.ts loader.batchSize=8 accumulate=1,4": { unclearBelow: 200 },
  "deno run -A scripts/gpt.ts recompute=none,blocks": "slower",
  "deno run -A scripts/gpt.ts compile.attention=composed,tiled context=512 layers=1 width=64": faster,
  "deno run -A scripts/alignment.ts": { shows: "a table of ratios" },
  "deno run -A scripts/autotune.ts": { unclearBelow: 200 },
  "deno run -A scripts/bottlenecks.ts": { shows: "what bounds each variant" },
  "deno run -A scripts/dataloader.ts": "slower",
  "deno run -A scripts/input_pipeline.ts": faster,
  "deno run -A scripts/mindspore_ladder.ts": faster,
  "deno run -A scripts/num_workers.ts": faster,
  "deno run -A scripts/standin.ts --variants linear --steps 4700": losses,
  "deno run -A scripts/standin.ts --variants resnet20 --steps 400": losses,
  "deno run -A scripts/standin.ts --data cifar-10-batches-bin": losses,
  "deno run -A scripts/text_standin.ts --report out": losses,
  "deno run -A scripts/timing_methods.ts": { shows: "the error of each method" },
  "deno run -A scripts/tuning_ladder.ts": { shows: "the ladder of settings" },

  "deno run -A examples/01_first_scenario.ts": faster,
  "deno run -A examples/02_own_model.ts": faster,
  "deno run -A examples/02_own_model.ts width=16 blocks=1,2,4": "slower",
  "deno run -A examples/03_own_data.ts": faster,
  "deno run -A examples/04_sweep.ts": faster,
  "deno run -A examples/04_sweep.ts loader.batchSize=8,64 sink=0,4,8": faster,
  "deno run -A examples/04_sweep.ts --json - | jq '.variants[].metrics.ips'": faster,
  "deno run -A examples/05_trainer.ts": { shows: "accuracies and predictions" },
  "deno run -A examples/06_transformer.ts": faster,
  "deno run -A examples/06_transformer.ts depth=1,2 heads=4": "slower",
  "deno run -A examples/07_own_op.ts": { unclearBelow: 200 },
  "deno run -A examples/07_own_op.ts gate=fused compile.autotune=true": one,
  "deno run -A examples/08_own_loop.ts": { shows: "times of a kernel and of ranges" },
  "deno run -A examples/09_library.ts": { shows: "a sentence for each batch size" },
  "deno run -A examples/11_text.ts": faster,
  "deno run -A examples/11_text.ts data.file=README.md data.tokenizer=bytes": faster,
  "deno run -A examples/11_text.ts layers=1,2,4": "slower",
};

/** Runs of the scripts of this repository, and of the README's scenario; those of others are the reader's. */
const RUNS = /\bdeno run\b.* (?:(?:scripts|examples)\/(?!tacho\.ts)|mine\.ts)/;

/** Flags with which nothing is measured. */
const MEASURES_NOTHING = /--(?:help|dry-run|list)\b/;

/** Commands in the head of a script: indented by a tab stop, and before their comment. */
const IN_HEAD = /^ \* {5}(deno run .*?)(?: +#.*)?$/gm;

/** Commands of the pages and of the heads of examples that run a script, each once. */
export function measuringCommands(): string[] {
  const heads = [...Deno.readDirSync(join(ROOT, "examples"))].filter(({ name }) => name.endsWith(".ts"))
    .flatMap(({ name }) => {
      const text = Deno.readTextFileSync(join(ROOT, "examples", name));
      return [...text.matchAll(IN_HEAD)].map(([, command]) => command!);
    });
  const commands = [...allBlocks("sh").flatMap(commandsOf), ...heads];
  return [...new Set(commands)].filter((command) => RUNS.test(command) && !MEASURES_NOTHING.test(command));
}

/** Splits a documented command into words, without what follows a pipe. */
export function wordsOf(command: string): string[] {
  return [...command.replace(/ \| .*/, "").matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([word, a, b]) => a ?? b ?? word);
}
