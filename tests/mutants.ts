/**
 * Measures whether the tests find faults: makes each fault of tests/mutants/list.jsonl in a copy of the last commit and runs
 * tests until one fails. First the nearest tests run on each mutant, with the one that found it for the baseline. Mutants
 * that survive are then made all at once in one copy, in which all tests run; a test that fails there is run on halves of them
 * until the fault that it finds is known.
 *
 * The exit status is 1 if the fast set kills less than 95 % of the mutants that the baseline kills, or the full set not all.
 * Progress is added to out/mutants.jsonl, so that an interrupted run goes on where it stopped.
 *
 *     deno task mutants                    # the tests of `deno task test`, then those of `deno task test:full`
 *     deno task mutants --fast             # the tests of `deno task test` only
 *     deno task mutants --again            # discards the progress first
 *     deno task mutants --keep             # writes the result to tests/mutants/baseline.jsonl
 *     deno task mutants --draw --seed 1    # draws another list, of lines that tests cover
 *
 * @module
 */
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { RandomStream } from "../runtime/core/random.ts";
import { culprits } from "./mutants/group.ts";
import { type Covered, drawFiles, drawMutants, type Mutant, nearestTests } from "./mutants/list.ts";
import { Tree } from "./mutants/tree.ts";
import { keptTimes } from "./runner/kept_times.ts";
import { FULL_TEST } from "./support/full.ts";
import { type Imports, loadImports } from "./support/imports.ts";
import { testFiles } from "./support/test_files.ts";

/** Line of the progress: what is known of a mutant, or a test of a set that finds none of the mutants that are left. */
type Progress =
  | { readonly id: number; readonly outcome: Outcome; readonly by?: string; readonly set?: TestSet }
  | { readonly test: string; readonly set: TestSet };

/** `near`: no test of the first pass finds it. `gone`: the text that it changes does not exist. */
type Outcome = "killed" | "near" | "gone";

/** Tests of `deno task test`, or those of `deno task test:full`. */
type TestSet = "fast" | "full";

/** Mutants, or tests, that run at a time. */
const JOBS = Math.max(1, Math.min(2, navigator.hardwareConcurrency));

/** Time of one test file in seconds; with most faults, tests fail at once or never end. */
const TEST_SECONDS = 240;

/** Test files that run on each mutant alone. */
const NEAR_TESTS = 2;

/** Share of the mutants that the baseline kills, and that each set must kill. */
const SHARE: Readonly<Record<TestSet, number>> = { fast: 0.95, full: 1 };

/** Tests that compare texts of the sources, and so find every change. */
const COMPARE_SOURCES = ["tests/report/html/client_bundle_test.ts"];

const root = join(import.meta.dirname!, "..");
const LIST = join(root, "tests/mutants/list.jsonl");
const BASELINE = join(root, "tests/mutants/baseline.jsonl");
const PROGRESS = join(root, "out/mutants.jsonl");

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    fast: { type: "boolean" },
    again: { type: "boolean" },
    keep: { type: "boolean" },
    draw: { type: "boolean" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
  },
});

/** Outcomes without a fault by test. */
const sound = new Map<string, Promise<boolean>>();

// Cheap tests first, as one that fails runs several times
const times = keptTimes();
const full = testFiles("tests", { all: true }).filter((file) => !COMPARE_SOURCES.includes(file))
  .sort((a, b) => (times.get(a) ?? Infinity) - (times.get(b) ?? Infinity) || 0);
const fast = full.filter((file) => !file.endsWith(FULL_TEST));
const baseline = new Map(readLines<{ id: number; by: string | null }>(BASELINE).map(({ id, by }) => [id, by]));
const imports: Imports = await loadImports(root, ["mod.ts", "ops", "runtime", ...full]);
if (flags.draw) await draw(Number(flags.seed), Number(flags.count));
else {
  if (flags.again) await Deno.remove(PROGRESS).catch(() => {});
  await Deno.mkdir(dirname(PROGRESS), { recursive: true });
  const mutants = readLines<Mutant>(LIST).filter(({ withoutEffect }) => withoutEffect === undefined);
  if (mutants.length === 0) {
    console.error("There are no mutants in tests/mutants/list.jsonl. Draw some: deno task mutants --draw");
    Deno.exit(2);
  }
  await nearPass(mutants);
  for (const set of flags.fast ? ["fast"] as const : ["fast", "full"] as const) {
    await groupPass(mutants, set);
    summarize(mutants, set);
  }
}

/** Returns what is known of each mutant, and the tests of each set that find none of those that are left. */
function progress(): {
  outcomes: Map<number, { outcome: Outcome; by: string; set: TestSet }>;
  done: Map<TestSet, string[]>;
} {
  const lines = readLines<Progress>(PROGRESS);
  return {
    outcomes: new Map(
      lines.flatMap((line) =>
        "id" in line ? [[line.id, { outcome: line.outcome, by: line.by ?? "", set: line.set ?? "fast" }] as const] : []
      ),
    ),
    done: new Map((["fast", "full"] as const).map((set) => [
      set,
      lines.flatMap((line) => "test" in line && line.set === set ? [line.test] : []),
    ])),
  };
}

async function keep(line: Progress): Promise<void> {
  await Deno.writeTextFile(PROGRESS, `${JSON.stringify(line)}\n`, { append: true });
}

/** Prints how many mutants the tests of a set find, and how many of those that the baseline's tests find. */
function summarize(mutants: readonly Mutant[], set: TestSet): void {
  const { outcomes } = progress();
  const killed = (id: number) => {
    const known = outcomes.get(id);
    return known?.outcome === "killed" && (set === "full" || known.set === "fast");
  };
  const gone = mutants.filter(({ id }) => outcomes.get(id)?.outcome === "gone");
  const found = mutants.filter(({ id }) => killed(id));
  console.log(
    `mutants, ${set} tests: ${found.length} killed, ${mutants.length - found.length - gone.length} survived, ` +
      `${gone.length} gone`,
  );
  for (const { id, file } of mutants) {
    if (!killed(id) && outcomes.get(id)?.outcome !== "gone") console.log(`survived ${id} ${file}`);
  }
  const known = mutants.filter((one) => baseline.get(one.id) != null && !gone.includes(one));
  if (known.length > 0) {
    const again = known.filter(({ id }) => killed(id)).length;
    console.log(`of ${known.length} that the baseline kills: ${again}, ${(100 * again / known.length).toFixed(1)} %`);
    if (again < SHARE[set] * known.length) Deno.exitCode = 1;
  }
  if (!flags.keep) return;
  const lines = mutants.map(({ id }) => ({ id, by: killed(id) ? outcomes.get(id)!.by : null }));
  Deno.writeTextFileSync(BASELINE, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Runs the nearest tests on each mutant alone. */
async function nearPass(mutants: readonly Mutant[]): Promise<void> {
  const { outcomes } = progress();
  const waiting = mutants.filter(({ id }) => !outcomes.has(id));
  await using clean = await Tree.copy(root);
  await Promise.all(Array.from({ length: JOBS }, async () => {
    await using tree = await Tree.copy(root);
    for (let mutant; (mutant = waiting.shift()) !== undefined;) {
      const start = performance.now();
      const line = await nearest(mutant, tree, clean);
      await keep(line);
      const seconds = Math.round((performance.now() - start) / 1000);
      console.log(
        `${line.outcome.padEnd(6)} ${mutant.id} ${mutant.file} (${mutant.operator}) ${line.by ?? ""} ${seconds} s`,
      );
    }
  }));
}

async function nearest(
  mutant: Mutant,
  tree: Tree,
  clean: Tree,
): Promise<{ id: number; outcome: Outcome; by?: string; set?: TestSet }> {
  const { id } = mutant;
  if (!await tree.make([mutant])) return { id, outcome: "gone" };
  const nearest = nearestTests(mutant.file, fast, imports).slice(0, NEAR_TESTS);
  const known = fast.filter((test) => test === baseline.get(id));
  for (const test of new Set([...known, ...nearest])) {
    if (await fails(test, tree, clean, "fast")) return { id, outcome: "killed", by: test, set: "fast" };
  }
  return { id, outcome: "near" };
}

/** Returns true if a test fails in a tree and passes in one without faults. */
async function fails(test: string, tree: Tree, clean: Tree, set: TestSet): Promise<boolean> {
  const isFull = set === "full";
  if (await tree.test(test, { seconds: TEST_SECONDS, full: isFull }) === "passed") return false;
  return await passes(test, clean, isFull);
}

/** Returns true if a test passes without a fault in the same time. */
function passes(test: string, clean: Tree, full: boolean): Promise<boolean> {
  const key = `${test} ${full}`;
  let result = sound.get(key);
  if (result === undefined) {
    result = clean.test(test, { seconds: TEST_SECONDS, full }).then((outcome) => outcome === "passed");
    sound.set(key, result);
  }
  return result;
}

/** Runs the tests of a set on all mutants at once that no test has found. */
async function groupPass(mutants: readonly Mutant[], set: TestSet): Promise<void> {
  const { outcomes, done } = progress();
  const left = new Map(mutants.filter(({ id }) => outcomes.get(id)?.outcome === "near").map((one) => [one.id, one]));
  const waiting = (set === "fast" ? fast : full).filter((test) => !done.get(set)!.includes(test));
  const total = waiting.length;
  await using clean = await Tree.copy(root);
  await Promise.all(Array.from({ length: JOBS }, async () => {
    await using tree = await Tree.copy(root);
    for (let test: string | undefined; (test = waiting.shift()) !== undefined && left.size > 0;) {
      const name = test;
      const found = await culprits([...left.values()], async (some) => {
        await tree.make(some);
        return await fails(name, tree, clean, set);
      });
      for (const { id, file } of found) {
        if (!left.delete(id)) continue;
        await keep({ id, outcome: "killed", by: name, set });
        console.log(`killed ${id} ${file} by ${name}`);
      }
      await keep({ test: name, set });
      console.log(`${name}: ${left.size} mutants left, ${total - waiting.length} of ${total} ${set} tests`);
    }
  }));
}

/** Draws a list: files spread over the folders, then faults in lines that the nearest tests of those files cover. */
async function draw(seed: number, count: number): Promise<void> {
  const random = new RandomStream(seed);
  const product = [...imports.keys()].filter((file) =>
    /^(runtime|ops)\/.*\.ts$/.test(file) && !file.endsWith("types.ts")
  );
  const files = drawFiles(product, Math.ceil(0.7 * count), random);
  const nearest = [...new Set(files.map((file) => nearestTests(file, fast, imports)[0]!))];
  const covered = new Map<string, Set<number>>();
  const total = nearest.length;
  await Promise.all(Array.from({ length: JOBS }, async () => {
    await using tree = await Tree.copy(root);
    for (let test; (test = nearest.shift()) !== undefined;) {
      for (const [file, lines] of await coverage(test, tree, files)) {
        covered.set(file, new Set([...covered.get(file) ?? [], ...lines]));
      }
      console.log(`coverage of ${test}, ${total - nearest.length} of ${total}`);
    }
  }));
  const mutants = drawMutants(root, files, covered, count, random);
  await Deno.writeTextFile(LIST, mutants.map((mutant) => `${JSON.stringify(mutant)}\n`).join(""));
  console.log(`${mutants.length} mutants in ${new Set(mutants.map(({ file }) => file)).size} files`);
}

/** Returns the lines of some files that a test covers. */
async function coverage(test: string, tree: Tree, files: readonly string[]): Promise<Covered> {
  const folder = await Deno.makeTempDir();
  try {
    await tree.test(test, { seconds: TEST_SECONDS, flags: [`--coverage=${folder}`] });
    const named = files.map((file) => file.replace(/[.]/g, "\\.")).join("|");
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["coverage", "--lcov", "--quiet", `--include=/(${named})$`, folder],
      cwd: tree.root,
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    }).output();
    const covered = new Map<string, Set<number>>();
    let lines = new Set<number>();
    for (const line of new TextDecoder().decode(stdout).split("\n")) {
      const [kind, rest = ""] = line.split(/:(.*)/s);
      if (kind === "SF") covered.set(rest.replace(`${tree.root}/`, ""), lines = new Set());
      const [number, hits] = rest.split(",").map(Number);
      if (kind === "DA" && hits! > 0) lines.add(number!);
    }
    return covered;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function readLines<T>(path: string): T[] {
  try {
    return Deno.readTextFileSync(path).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
