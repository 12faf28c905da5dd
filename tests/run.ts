/**
 * Runs the tests and prints how many cases passed and failed, their time, and the files that took most of it.
 *
 *     deno task test                            # the fast set
 *     deno task test:full                       # everything, also what repeats a rule on many cases
 *     deno task test --changed                  # what the changes since origin/main can affect
 *     deno task test --changed=HEAD~3           # what the changes since another commit can affect
 *     deno task test tests/ops conv2d           # files whose path has one of these words
 *     deno task test --filter "same seed"       # what else starts with a dash goes to `deno test`
 *
 * The full set has the files named `*_full_test.ts` and all cases where the fast set takes a sample
 * ({@linkcode file://./support/full.ts}). Without origin/main, `--changed` compares with the commit before the last. It takes
 * imports and names of files in the code into account, and rather runs too much
 * ({@linkcode file://./runner/affected.ts}).
 *
 * Files share processes unless they change what a whole process has ({@linkcode file://./runner/sharing.ts}). If something
 * fails in a shared process, its files run again separately. What took longest in the last run starts first. Types are checked once for all files. If that fails, each file checks its own types, so that
 * correct files still run.
 *
 * Times are processor time, with that of all processes that a test starts, on Linux; elsewhere they are wall time.
 *
 * @module
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { styleText } from "node:util";
import { affectedTests } from "./runner/affected.ts";
import { changedFiles } from "./runner/changed_files.ts";
import { keepTimes, keptTimes } from "./runner/kept_times.ts";
import { processorTime } from "./runner/processor_time.ts";
import { type Ended, runDeno } from "./runner/run_deno.ts";
import { sharingOf } from "./runner/sharing.ts";
import { loadImports } from "./support/imports.ts";
import { type Cases, readCases, sumCases } from "./support/junit.ts";
import { testFiles } from "./support/test_files.ts";
import { TestProgress } from "./support/test_progress.ts";

/** Lock file for the tests' packages. Every script installs the packages in the project's own lock file. */
const LOCK = "--lock=tests/deno.lock";

/** Time in which no test of a process ends, after which the process counts as hung. */
const STILL_MS = 20 * 60_000;

/**
 * Processes that run concurrently: one more than cores, since many tests wait for processes and clocks, and at most 4, since
 * all share one GPU and on a software adapter its kernels also use the cores.
 */
const JOBS = Math.max(1, Number(Deno.env.get("DENO_JOBS")) || Math.min(4, navigator.hardwareConcurrency + 1));

/** Maximum number of pure files in a process. */
const MAX_PURE = 32;

/** Maximum number of other files in a process. They take longer, and after a failure all of them run again. */
const MAX_OTHER = 12;

/** Fewest files for which it pays to look for those that may share a process. */
const MANY = 12;

/** Files that the run prints with their time. */
const SLOWEST = 10;

/** Tests that mostly wait for ranks and nodes. One of them runs beside others, so that the cores are busy. */
const WAITING_TESTS = ["tests/cluster/"];

/** Tests that compile many kernels and run each on a few numbers, unlike trainings, which repeat theirs. */
const KERNEL_TESTS = [
  "tests/ops/",
  "tests/nn/",
  "tests/models/",
  "tests/engine/",
  "tests/compile/",
  "tests/onnx/standard",
];

/** Makes Mesa's software drivers compile kernels without optimization. Other drivers ignore it. */
const FAST_COMPILATION = { GALLIVM_PERF: "nopt" };

const NONE: Cases = { passed: 0, failed: 0, skipped: [], seconds: 0 };

const root = join(import.meta.dirname!, "..");

/** Outcome of a file, or of files that ran in one process. */
interface Outcome {
  readonly cases: Cases;
  /** Comment, printed after the counts. */
  readonly remark: string;
  /** Output of the process, or "" if it explains nothing. */
  readonly output: string;
}

/** Time of a file, in seconds. */
interface Time {
  readonly wall: number;
  /** Processor time; null where the system does not report it. */
  readonly processor: number | null;
}

const begin = performance.now();
const { words, flags, full, base } = splitArguments(Deno.args);
const results = await Deno.makeTempDir({ prefix: "tacho-tests-" });
const modules = join(root, "out", `tests-${Deno.pid}`);
const environment = {
  DENO_NO_UPDATE_CHECK: "1",
  ...(Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" }),
  ...(Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {}),
  ...Deno.env.toObject(),
  // Keeps the tests' peaks, runs and caches out of the user's folders
  TACHO_CACHE: join(results, "cache"),
  TACHO_STORE: join(results, "store"),
  TACHO_TESTS: full ? "full" : "fast",
};
const files = await chosenFiles();
const width = Math.max(...files.map((file) => file.length));
const times = new Map<string, Time>();
const skipped: string[] = [];
let total = NONE;
let started = 0;
try {
  const typed = files.length === 0 || await checkTypes();
  const groups = inOrder(await groupFiles(typed));
  const waiting = groups.filter(([file]) => isIn(WAITING_TESTS, file!));
  const busy = groups.filter((group) => !waiting.includes(group));
  const work = async (first: string[][], then: string[][]) => {
    for (let group; (group = first.shift() ?? then.shift()) !== undefined;) {
      if (group.length > 1) await runTogether(group);
      else await runAlone(group[0]!, typed);
    }
  };
  await Promise.all([
    work(waiting, busy),
    ...Array.from({ length: JOBS - 1 }, () => work(busy, waiting)),
  ]);
} finally {
  // A process that a hung test left behind may still write there
  await Promise.all([results, modules].map((folder) => Deno.remove(folder, { recursive: true }).catch(() => {})));
}
if (files.length > 0) printTimes();
if (skipped.length > 0) console.log([`${skipped.length} skipped:`, ...skipped].join("\n  "));
const { passed, failed } = total;
const nothingChanged = base !== null && files.length === 0;
if (passed + failed === 0) {
  console.error(
    nothingChanged
      ? "No test depends on what has changed"
      : `No tests found${Deno.args.length === 0 ? "" : ` for: ${Deno.args.join(" ")}`}`,
  );
}
console.log(`tests: ${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 || passed === 0 && !nothingChanged ? 1 : 0);

function isIn(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => file.startsWith(folder));
}

interface Arguments {
  readonly words: readonly string[];
  /** Arguments for `deno test`. */
  readonly flags: readonly string[];
  readonly full: boolean;
  /** Commit for `--changed`, undefined for the default one, or null without the flag. */
  readonly base: string | null | undefined;
}

function splitArguments(args: readonly string[]): Arguments {
  const words: string[] = [];
  const flags: string[] = [];
  let full = Deno.env.get("TACHO_TESTS") === "full";
  let base: string | null | undefined = null;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!arg.startsWith("-")) words.push(arg.replace(/^\.\//, ""));
    else if (arg === "--full") full = true;
    else if (arg === "--changed") base = undefined;
    else if (arg.startsWith("--changed=")) base = arg.slice("--changed=".length);
    else if (arg === "--filter") flags.push(arg, args[++i] ?? "");
    else flags.push(arg);
  }
  return { words, flags, full, base };
}

async function chosenFiles(): Promise<string[]> {
  const all = testFiles("tests", { all: full }).filter((file) =>
    words.length === 0 || words.some((word) => file.includes(word))
  );
  if (base === null) return all;
  const changed = await changedFiles(base);
  const entries = [
    "mod.ts",
    "attach.ts",
    "jupyter.ts",
    "scripts",
    "runtime",
    "ops",
    "tests",
    "examples",
    "docs",
    "bench",
  ];
  return affectedTests(all, changed, await loadImports(root, entries), read);
}

/** Returns the files in groups, each for one process. */
async function groupFiles(typed: boolean): Promise<string[][]> {
  if (!typed || files.length < MANY) return files.map((file) => [file]);
  const { pure, other, helped, alone } = sharingOf(files, await loadImports(root, files), read);
  const waiting = other.filter((file) => isIn(WAITING_TESTS, file));
  const busy = [...helped, other.filter((file) => !waiting.includes(file))];
  return [
    ...[...alone, ...waiting].map((file) => [file]),
    ...busy.flatMap((group) => Object.values(Object.groupBy(group, (file) => String(isIn(KERNEL_TESTS, file)))))
      .flatMap((group) => split(group!, MAX_OTHER)),
    ...split(pure, MAX_PURE),
  ];
}

/** Splits files into groups that take about the same time: each has files of all folders. */
function split(files: readonly string[], most: number): string[][] {
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, i) => files.filter((_, k) => k % count === i));
}

/** Sorts groups by their time in the last run. Files that did not run then keep their order, after those that did. */
function inOrder(groups: readonly string[][]): string[][] {
  const kept = keptTimes();
  const timeOf = (group: readonly string[]) => group.reduce((sum, file) => sum + (kept.get(file) ?? 0), 0);
  return groups.toSorted((a, b) => timeOf(b) - timeOf(a));
}

async function checkTypes(): Promise<boolean> {
  const { success, stderr } = await runDeno(["check", "--quiet", LOCK, ...files], { env: environment });
  if (!success) {
    console.log(`${stderr.trimEnd()}\n${styleText("red", "Type checking failed")}; checking each file separately:`);
  }
  return success;
}

async function runAlone(file: string, typed: boolean): Promise<Outcome> {
  const start = performance.now();
  const [cases, ended] = await runTests([file], typed);
  const outcome = outcomeOf(cases === null ? null : sumCases(cases.values()), ended, typed);
  finish(file, outcome, { wall: (performance.now() - start) / 1000, processor: ended.processor });
  return outcome;
}

/** Runs files in one process, and again separately if one fails, crashes or hangs. */
async function runTogether(group: readonly string[]): Promise<void> {
  const [cases, ended] = await runTests(group, true);
  if (cases !== null && ended.code === 0) {
    const wall = sumCases(cases.values()).seconds;
    for (const [file, each] of cases) {
      const share = wall === 0 ? 1 / cases.size : each.seconds / wall;
      const processor = ended.processor === null ? null : ended.processor * share;
      finish(file, { cases: each, remark: "", output: "" }, { wall: each.seconds, processor });
    }
    return;
  }
  const outcomes: Outcome[] = [];
  for (const file of group) outcomes.push(await runAlone(file, true));
  if (outcomes.some(({ cases }) => cases.failed > 0)) return;
  const { remark, output } = outcomeOf(cases === null ? null : sumCases(cases.values()), ended, true);
  const name = `${group[0]} with ${group.length - 1} other files in a process`;
  finish(name, { cases: { ...NONE, failed: 1 }, remark: remark || "failed, but not separately", output }, null);
}

async function runTests(group: readonly string[], typed: boolean): Promise<[Map<string, Cases> | null, Ended]> {
  const id = started++;
  const junit = join(results, `${id}.xml`);
  const module = group.length === 1 ? group[0]! : await moduleOf(group, `${id}.ts`);
  const args = ["test", "-A", LOCK, typed ? "--no-check" : "--check", `--junit-path=${junit}`, ...flags, module];
  const env = { ...isIn(KERNEL_TESTS, group[0]!) ? FAST_COMPILATION : {}, ...environment };
  const ended = await runDeno(args, { env, progress: new TestProgress(STILL_MS) });
  return [readCases(readOrNull(junit)), ended];
}

/**
 * Writes a module that imports files, which loads once what they share; `deno test` would do so for each of them. It lies in
 * the repository, whose configuration a main module finds in the folders above it.
 */
async function moduleOf(group: readonly string[], name: string): Promise<string> {
  await Deno.mkdir(modules, { recursive: true });
  const path = join(modules, name);
  const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
  await Deno.writeTextFile(path, imports.join(""));
  return path;
}

function outcomeOf(cases: Cases | null, { code, signal, stdout, stderr, hung }: Ended, typed: boolean): Outcome {
  const output = `${stdout}${stderr}`;
  if (cases === null) {
    if (!typed && output.includes("Type checking failed")) {
      return { cases: { ...NONE, failed: 1 }, remark: "type checking failed, see above", output: "" };
    }
    const remark = hung
      ? "hung: no test has ended for 20 minutes"
      : signal === null
      ? "did not load"
      : `crashed (${signal}) before writing results`;
    return { cases: { ...NONE, failed: 1 }, remark, output };
  }
  if (code === 0 || cases.failed > 0) return { cases, remark: "", output };
  // Results are written after the last test and before the process exits. Drivers may crash in between.
  if (signal !== null && !hung) {
    return { cases, remark: `crashed at exit (${signal}), after all results`, output: "" };
  }
  const remark = hung ? "did not exit after its tests" : "failed outside its tests";
  return { cases: { ...cases, failed: 1 }, remark, output };
}

function read(file: string): string {
  return Deno.readTextFileSync(join(root, file));
}

function readOrNull(file: string): string | null {
  try {
    return Deno.readTextFileSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Counts and prints the outcome of a file. */
function finish(file: string, { cases, remark, output }: Outcome, time: Time | null): void {
  if (time !== null) times.set(file, time);
  const { passed, failed } = cases;
  if (passed + failed + cases.skipped.length === 0) return;
  total = sumCases([total, cases]);
  skipped.push(...cases.skipped.map((name) => `${file}: ${name}`));
  const counts = [
    `${passed} passed`,
    ...failed > 0 ? [`${failed} failed`] : [],
    ...cases.skipped.length > 0 ? [`${cases.skipped.length} skipped`] : [],
  ];
  const mark = failed > 0 ? styleText("red", "FAILED") : styleText("green", "ok    ");
  const seconds = time === null ? [] : [`${(time.processor ?? time.wall).toFixed(1)} s`];
  const detail = [counts.join(", "), ...seconds, ...remark === "" ? [] : [remark]].join(", ");
  if (failed > 0 && output !== "") console.log(output.trimEnd());
  console.log(`${mark} ${file.padEnd(width)} ${detail}`);
}

/** Keeps the times of this run for the next, and prints the run's and those of the slowest files. */
function printTimes(): void {
  keepTimes(new Map([...times].map(([file, { wall }]) => [file, wall])));
  const processor = processorTime("self");
  const seconds = (time: Time) =>
    `${time.processor === null ? "" : `${time.processor.toFixed(1)} s of processor time, `}${time.wall.toFixed(1)} s`;
  const all = { wall: (performance.now() - begin) / 1000, processor };
  const costOf = ({ wall, processor }: Time) => processor ?? wall;
  const slowest = [...times].sort(([, a], [, b]) => costOf(b) - costOf(a)).slice(0, SLOWEST);
  if (times.size > 1) {
    for (const [file, time] of slowest) {
      console.log(`slow   ${file.padEnd(width)} ${seconds(time)}`);
    }
  }
  console.log(`time: ${seconds(all)}`);
}
