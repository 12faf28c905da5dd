/**
 * Runs the tests and prints how many cases passed and failed.
 *
 *     deno task test                            # the fast set
 *     deno task test:full                       # everything, also what repeats a rule on many cases
 *     deno task test tests/ops conv2d           # files whose path has one of these words
 *     deno task test --filter "same seed"       # what starts with a dash goes to `deno test`
 *
 * Every file runs in a separate process, so that a crash affects one file and memory is freed. Types are checked once
 * for all files. If that fails, each file checks its own types, so that correct files still run.
 *
 * @module
 */
import { join } from "node:path";
import { styleText } from "node:util";
import { countCases, type Counts } from "./support/junit.ts";
import { testFiles } from "./support/test_files.ts";
import { TestProgress } from "./support/test_progress.ts";

/** Lock file for the tests' packages. Every script installs the packages in the project's own lock file. */
const LOCK = "--lock=tests/deno.lock";

/** Time in which no test of a file ends, after which the file counts as hung. */
const STILL_MS = 20 * 60_000;

/** Interval at which the progress of a file is checked, in ms. */
const CHECK_MS = 1000;

/** Time to read the rest of a process's output after its end, in ms. */
const READ_MS = 10_000;

/**
 * Files that run concurrently: one more than cores, since many tests wait for processes and clocks, and at most 4, since
 * all share one GPU and on a software adapter its kernels also use the cores.
 */
const JOBS = Math.max(1, Number(Deno.env.get("DENO_JOBS")) || Math.min(4, navigator.hardwareConcurrency + 1));

/** Tests that mostly wait for ranks and nodes. One of them runs beside others, so that the cores are busy. */
const WAITING_TESTS = ["tests/cluster/"];

/** Tests that compile many kernels and run each on a few numbers, unlike trainings, which repeat theirs. */
const KERNEL_TESTS = ["tests/ops/", "tests/nn/", "tests/models/"];

/** Makes Mesa's software drivers compile kernels without optimization. Other drivers ignore it. */
const FAST_COMPILATION = { GALLIVM_PERF: "nopt" };

const root = join(import.meta.dirname!, "..");
const environment = {
  DENO_NO_UPDATE_CHECK: "1",
  ...(Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" }),
  ...(Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {}),
  ...Deno.env.toObject(),
};

interface Outcome extends Counts {
  /** Comment on the file, printed after its counts. */
  readonly remark: string;
  /** The file's output, or "" if it explains nothing. */
  readonly output: string;
}

const { words, flags, full } = splitArguments(Deno.args);
const files = testFiles("tests", { all: full }).filter((file) =>
  words.length === 0 || words.some((word) => file.includes(word))
);
const results = await Deno.makeTempDir({ prefix: "tacho-tests-" });
let failed = 0;
let passed = 0;
try {
  const typed = files.length === 0 || await checkTypes();
  const width = Math.max(...files.map((file) => file.length));
  const waiting = files.filter((file) => isIn(WAITING_TESTS, file));
  const busy = files.filter((file) => !waiting.includes(file));
  let started = 0;
  const work = async (first: string[], then: string[]) => {
    for (let file; (file = first.shift() ?? then.shift()) !== undefined;) {
      const i = started++;
      const start = performance.now();
      const outcome = await runFile(file, { typed, junit: join(results, `${i}.xml`) });
      passed += outcome.passed;
      failed += outcome.failed;
      report(file.padEnd(width), outcome, (performance.now() - start) / 1000);
    }
  };
  await Promise.all([
    work(waiting, busy),
    ...Array.from({ length: JOBS - 1 }, () => work(busy, waiting)),
  ]);
} finally {
  // A process that a hung test left behind may still write there
  await Deno.remove(results, { recursive: true }).catch(() => {});
}
if (passed + failed === 0) {
  console.error(`No tests found${Deno.args.length === 0 ? "" : ` for: ${Deno.args.join(" ")}`}`);
}
console.log(`tests: ${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 || passed === 0 ? 1 : 0);

function isIn(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => file.startsWith(folder));
}

function splitArguments(args: readonly string[]): { words: string[]; flags: string[]; full: boolean } {
  const words: string[] = [];
  const flags: string[] = [];
  let full = Deno.env.get("TACHO_TESTS") === "full";
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!arg.startsWith("-")) words.push(arg.replace(/^\.\//, ""));
    else if (arg === "--full") full = true;
    else if (arg === "--filter") flags.push(arg, args[++i] ?? "");
    else flags.push(arg);
  }
  return { words, flags, full };
}

async function checkTypes(): Promise<boolean> {
  const { success, stderr } = await deno(["check", "--quiet", LOCK, ...files]);
  if (!success) {
    console.log(`${stderr.trimEnd()}\n${styleText("red", "Type checking failed")}; checking each file separately:`);
  }
  return success;
}

async function runFile(file: string, options: { typed: boolean; junit: string }): Promise<Outcome> {
  const check = options.typed ? "--no-check" : "--check";
  const args = ["test", "-A", LOCK, check, `--junit-path=${options.junit}`, ...flags, file];
  const env = isIn(KERNEL_TESTS, file) ? FAST_COMPILATION : {};
  const { code, signal, stdout, stderr, hung } = await deno(args, { progress: new TestProgress(STILL_MS), env });
  const counts = countCases(readOrNull(options.junit));
  const output = `${stdout}${stderr}`;
  if (counts === null) {
    if (!options.typed && output.includes("Type checking failed")) {
      return { passed: 0, failed: 1, skipped: 0, remark: "type checking failed, see above", output: "" };
    }
    const remark = hung
      ? "hung: no test has ended for 20 minutes"
      : signal === null
      ? "did not load"
      : `crashed (${signal}) before writing results`;
    return { passed: 0, failed: 1, skipped: 0, remark, output };
  }
  if (code === 0 || counts.failed > 0) return { ...counts, remark: "", output };
  // Results are written after the last test and before the process exits. Drivers may crash in between.
  if (signal !== null && !hung) {
    return { ...counts, remark: `crashed at exit (${signal}), after all results`, output: "" };
  }
  const remark = hung ? "did not exit after its tests" : "failed outside its tests";
  return { ...counts, failed: 1, remark, output };
}

interface ProcessOutcome {
  readonly success: boolean;
  readonly code: number;
  readonly signal: Deno.Signal | null;
  /** Killed, as it made no progress. */
  readonly hung: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

async function deno(
  args: string[],
  { progress, env = {} }: { progress?: TestProgress; env?: Readonly<Record<string, string>> } = {},
): Promise<ProcessOutcome> {
  const command = new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    // Keeps the tests' peaks, runs and caches out of the user's folders
    env: {
      ...env,
      ...environment,
      TACHO_CACHE: join(results, "cache"),
      TACHO_STORE: join(results, "store"),
      TACHO_TESTS: full ? "full" : "fast",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  let hung = false;
  const timer = setInterval(() => {
    if (progress === undefined || !progress.pass(CHECK_MS)) return;
    hung = true;
    try {
      child.kill("SIGKILL");
    } catch {
      // The process has just exited
    }
  }, CHECK_MS);
  const output = { stdout: "", stderr: "" };
  const read = Promise.all([
    eachText(child.stdout, (text) => {
      output.stdout += text;
      progress?.read(text);
    }),
    eachText(child.stderr, (text) => output.stderr += text),
  ]);
  const { success, code, signal } = await child.status;
  clearInterval(timer);
  // A process that a test has left behind may keep the pipes open
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, READ_MS))]);
  return { success, code, signal, hung, ...output };
}

async function eachText(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onText: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) onText(text);
}

function readOrNull(file: string): string | null {
  try {
    return Deno.readTextFileSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function report(file: string, { passed, failed, skipped, remark, output }: Outcome, seconds: number): void {
  if (passed + failed + skipped === 0) return;
  const counts = [
    `${passed} passed`,
    ...failed > 0 ? [`${failed} failed`] : [],
    ...skipped > 0 ? [`${skipped} skipped`] : [],
  ];
  const mark = failed > 0 ? styleText("red", "FAILED") : styleText("green", "ok    ");
  const detail = [counts.join(", "), `${seconds.toFixed(1)} s`, ...remark === "" ? [] : [remark]].join(", ");
  if (failed > 0 && output !== "") console.log(output.trimEnd());
  console.log(`${mark} ${file} ${detail}`);
}
