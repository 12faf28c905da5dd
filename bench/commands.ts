/**
 * Whole runs of commands: their means beside hyperfine's, verdicts on equal commands and on a planted difference, and the
 * order of two commands on a machine that becomes slower in the middle.
 *
 *     deno task bench:commands              # all of them
 *     deno task bench:commands equal 200    # one of means, equal, planted, drift; with its number of trials
 *     deno task bench:commands --record     # also writes the results to bench/results/
 *
 * @module
 */
import { command, measure, type Result, scenario } from "../mod.ts";
import { median } from "../runtime/core/statistics.ts";
import { recorder } from "./record/recorder.ts";

const { args, record } = await recorder("commands");
const [only = null, trials = null] = [args[0], args[1] === undefined ? null : Number(args[1])];

/** A loop of the shell, of about a microsecond per turn. */
const loop = (turns: number) => `i=0; while [ $i -lt ${turns} ]; do i=$((i+1)); done`;

/** Turns of about 5 ms. */
const TURNS = 6000;

/** Compares commands in whole runs. The first is the baseline. */
function compare(
  commands: Readonly<Record<string, string | readonly string[]>>,
  rounds: number,
  seed = 1,
): Promise<Result> {
  const programs = Object.fromEntries(Object.entries(commands).map(([name, line]) => [name, command(line)]));
  return measure(scenario({ name: "commands", programs, seed, measure: { steps: 1, skip: 1, maxSkip: 1, rounds } }));
}

/** Returns the mean times of commands by hyperfine, in ms. */
async function hyperfine(runs: number, ...commands: string[]): Promise<number[]> {
  const path = await Deno.makeTempFile();
  const options = ["-N", "-w", "1", "-r", `${runs}`, "--style", "none", "--export-json", path];
  const { success } = await new Deno.Command("hyperfine", { args: [...options, ...commands], stderr: "null" }).output();
  if (!success) throw new Error(`hyperfine failed: ${commands.join(", ")}`);
  const { results } = JSON.parse(await Deno.readTextFile(path)) as { results: { mean: number }[] };
  await Deno.remove(path);
  return results.map(({ mean }) => 1000 * mean);
}

/** Mean time of a variant's runs, in ms. */
function meanOf({ variants }: Result, name: string): number {
  const runs = variants.find((variant) => variant.name === name)!.blocks.flatMap(({ runs = [] }) => runs);
  return runs.reduce((sum, { wall }) => sum + wall, 0) / runs.length;
}

/** Means of the same command by both, in turns. Without a shell, whose start hyperfine subtracts on average. */
async function means(): Promise<void> {
  for (const [time, runs] of [[5, 60], [50, 30], [1000, 3]] as const) {
    const words = ["sleep", `${time / 1000}`];
    const line = words.join(" ");
    const pairs: { own: number; other: number; again: number }[] = [];
    const isClose = (a: number, b: number) => Math.abs(a - b) <= Math.max(2, 0.02 * b);
    for (let i = 0; i < (trials ?? 20); i++) {
      const own = meanOf(await compare({ a: words }, runs), "a");
      const [other] = await hyperfine(runs, line);
      // How much hyperfine differs from itself on this machine
      const [again] = await hyperfine(runs, line);
      pairs.push({ own, other: other!, again: again! });
    }
    const figures = {
      trials_count: pairs.length,
      close_count: pairs.filter(({ own, other }) => isClose(own, other)).length,
      hyperfine_close_count: pairs.filter(({ other, again }) => isClose(again, other)).length,
      own_ms: median(pairs.map(({ own }) => own)),
      hyperfine_ms: median(pairs.map(({ other }) => other)),
      difference_ms: median(pairs.map(({ own, other }) => Math.abs(own - other))),
    };
    console.log(`means, ${line}:`, figures);
    record(`mean of ${line}`, figures);
  }
}

/** Verdicts on two equal commands. */
async function equal(): Promise<void> {
  const verdicts: (string | null)[] = [];
  for (let i = 0; i < (trials ?? 200); i++) {
    const { variants } = await compare({ a: loop(TURNS), b: loop(TURNS) }, 20, i + 1);
    verdicts.push(variants[1]!.verdict);
  }
  show("equal commands", verdicts);
}

/** Verdicts on a difference of 10 %, at the number of rounds that the first verdict asks for. */
async function planted(): Promise<void> {
  const verdicts: (string | null)[] = [];
  const commands = { a: loop(Math.round(1.1 * TURNS)), b: loop(TURNS) };
  for (let i = 0; i < (trials ?? 50); i++) {
    let result = await compare(commands, 20, i + 1);
    const reason = result.variants[1]!.comparison?.reason ?? "";
    const more = Number(/about (\d+) rounds would decide/.exec(reason)?.[1]);
    if (more > 0) result = await compare(commands, more, i + 1);
    verdicts.push(result.variants[1]!.verdict);
  }
  show("10 % faster", verdicts);
}

function show(name: string, verdicts: readonly (string | null)[]): void {
  const count = (verdict: string) => verdicts.filter((one) => one === verdict).length;
  const figures = {
    trials_count: verdicts.length,
    ...{ faster_count: count("faster"), slower_count: count("slower") },
    ...{ same_count: count("same"), unclear_count: count("unclear") },
  };
  console.log(`${name}:`, figures);
  record(name, figures);
}

/** Two commands, the second 10 % faster, on a core that another process shares from the middle on. */
async function drift(): Promise<void> {
  const pin = "taskset -c 0 sh -c";
  const [slow, fast] = [`${pin} '${loop(11 * TURNS)}'`, `${pin} '${loop(10 * TURNS)}'`];
  const runs = 20;
  /** Does work, with another process on the core from half of its expected time on. */
  const disturbed = async <T>(work: () => Promise<T>, half: number): Promise<T> => {
    let other: Deno.ChildProcess | null = null;
    const timer = setTimeout(() => {
      other = new Deno.Command("taskset", { args: ["-c", "0", "sh", "-c", "while :; do :; done"] }).spawn();
    }, half);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      (other as Deno.ChildProcess | null)?.kill("SIGKILL");
    }
  };
  const wrong = { hyperfine: 0, own: 0, decided: 0 };
  const ratios = { hyperfine: [] as number[], own: [] as number[] };
  const count = trials ?? 5;
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    await hyperfine(runs, slow);
    const half = performance.now() - begin;
    const [a, b] = await disturbed(() => hyperfine(runs, slow, fast), half);
    const { variants } = await disturbed(() => compare({ slow, fast }, runs, i + 1), 1.5 * half);
    const own = variants[1]!.metrics.speedup!.value;
    ratios.hyperfine.push(a! / b!);
    ratios.own.push(own);
    if (a! < b!) wrong.hyperfine++;
    if (own < 1) wrong.own++;
    if (variants[1]!.verdict === "faster") wrong.decided++;
    console.log(`drift: hyperfine ${(a! / b!).toFixed(3)}, tacho ${own.toFixed(3)} ${variants[1]!.verdict}`);
  }
  record("a core that is shared from the middle on", {
    trials_count: count,
    hyperfine_ratio: median(ratios.hyperfine),
    own_ratio: median(ratios.own),
    hyperfine_wrong_count: wrong.hyperfine,
    own_wrong_count: wrong.own,
    faster_count: wrong.decided,
  });
}

const TASKS = { means, equal, planted, drift };
for (const [name, task] of Object.entries(TASKS)) if (only === null || only === name) await task();
