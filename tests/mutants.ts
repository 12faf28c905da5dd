/**
 * Measures whether the tests find faults: makes each fault of tests/mutants/list.jsonl in a copy of the last commit and runs
 * tests until one fails, the nearest first. Results are added to tests/mutants/results.jsonl, so that an interrupted run
 * goes on where it stopped.
 *
 *     deno task mutants                    # the nearest tests of each mutant, then the others for those that survive
 *     deno task mutants --near             # the nearest tests only
 *     deno task mutants --again            # discards the results first
 *     deno task mutants --draw --seed 1    # draws another list, of lines that tests cover
 *
 * @module
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RandomStream } from "../runtime/core/random.ts";
import { type Covered, drawFiles, drawMutants, type Mutant, mutated, nearestTests } from "./mutants/list.ts";
import { type Outcome, Tree } from "./mutants/tree.ts";
import { type Imports, loadImports } from "./support/imports.ts";
import { testFiles } from "./support/test_files.ts";

/** Result of a mutant. */
interface Result {
  readonly id: number;
  /** `gone`: the text that it changes no longer exists. */
  readonly outcome: "killed" | "survived" | "gone";
  /** Test file that failed or did not end. */
  readonly by?: string;
  /** Number of test files that have run, in all passes. */
  readonly tests: number;
  readonly seconds: number;
}

/** Mutants that run at a time. */
const JOBS = Math.max(1, Math.min(2, navigator.hardwareConcurrency));

/** Time of one test file in seconds; with most faults, tests fail at once or never end. */
const TEST_SECONDS = 240;

/** Test files of the first pass over all mutants. */
const NEAR_TESTS = 3;

/** Time of one mutant in a pass in seconds, after which it begins no other test. The next run goes on with the others. */
const MUTANT_SECONDS = 600;

const root = join(import.meta.dirname!, "..");
const LIST = join(root, "tests/mutants/list.jsonl");
const RESULTS = join(root, "tests/mutants/results.jsonl");

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    near: { type: "boolean" },
    again: { type: "boolean" },
    draw: { type: "boolean" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
  },
});

const tests = testFiles("tests");
const imports: Imports = await loadImports(root, ["mod.ts", "ops", "runtime", ...tests]);
if (flags.draw) await draw(Number(flags.seed), Number(flags.count));
else {
  if (flags.again) await Deno.remove(RESULTS).catch(() => {});
  const mutants = readLines<Mutant>(LIST).filter(({ withoutEffect }) => withoutEffect === undefined);
  if (mutants.length === 0) {
    console.error("There are no mutants in tests/mutants/list.jsonl. Draw some: deno task mutants --draw");
    Deno.exit(2);
  }
  await pass(mutants, NEAR_TESTS);
  if (!flags.near) await pass(mutants, tests.length);
  const results = latest();
  const count = (outcome: Result["outcome"]) => mutants.filter(({ id }) => results.get(id)?.outcome === outcome).length;
  console.log(`mutants: ${count("killed")} killed, ${count("survived")} survived, ${count("gone")} gone`);
}

/** Returns the latest result of each mutant. */
function latest(): Map<number, Result> {
  return new Map(readLines<Result>(RESULTS).map((result) => [result.id, result]));
}

/** Runs mutants that no test has found yet, until `count` tests have run on each. */
async function pass(mutants: readonly Mutant[], count: number): Promise<void> {
  const known = latest();
  const waiting = mutants.filter(({ id }) => {
    const result = known.get(id);
    return result === undefined || result.outcome === "survived" && result.tests < count;
  });
  const sound = new Map<string, Promise<boolean>>();
  await using clean = await Tree.copy(root);
  await Promise.all(Array.from({ length: JOBS }, async () => {
    await using tree = await Tree.copy(root);
    for (let mutant; (mutant = waiting.shift()) !== undefined;) {
      const result = await kill(mutant, tree, {
        begin: known.get(mutant.id)?.tests ?? 0,
        end: count,
        passes: (test) => passes(test, clean, sound),
      });
      await Deno.writeTextFile(RESULTS, `${JSON.stringify(result)}\n`, { append: true });
      console.log(
        `${result.outcome.padEnd(8)} ${mutant.id} ${mutant.file} (${mutant.operator}) ${result.by ?? ""} ` +
          `${result.tests} tests, ${result.seconds} s`,
      );
    }
  }));
}

/** Runs some of the tests of a mutant, from the nearest to the farthest, until one fails. */
async function kill(
  mutant: Mutant,
  tree: Tree,
  { begin, end, passes }: { begin: number; end: number; passes: (test: string) => Promise<boolean> },
): Promise<Result> {
  const start = performance.now();
  const elapsed = () => Math.round((performance.now() - start) / 1000);
  const source = await tree.read(mutant.file);
  const changed = source === null ? null : mutated(source, mutant);
  if (changed === null) return { id: mutant.id, outcome: "gone", tests: 0, seconds: 0 };
  await tree.write(mutant.file, changed);
  let count = begin;
  try {
    for (const test of nearestTests(mutant.file, tests, imports).slice(begin, end)) {
      if (elapsed() > MUTANT_SECONDS) break;
      count++;
      const outcome: Outcome = await tree.test(test, { seconds: TEST_SECONDS });
      // A test that fails without the fault, too, tells nothing
      if (outcome === "passed" || !await passes(test)) continue;
      return { id: mutant.id, outcome: "killed", by: test, tests: count, seconds: elapsed() };
    }
  } finally {
    await tree.write(mutant.file, source!);
  }
  return { id: mutant.id, outcome: "survived", tests: count, seconds: elapsed() };
}

/** Returns true if a test passes without a fault. */
function passes(test: string, clean: Tree, known: Map<string, Promise<boolean>>): Promise<boolean> {
  let result = known.get(test);
  if (result === undefined) {
    result = clean.test(test, { seconds: 2 * TEST_SECONDS }).then((outcome) => outcome === "passed");
    known.set(test, result);
  }
  return result;
}

/** Draws a list: files spread over the folders, then faults in lines that the nearest tests of those files cover. */
async function draw(seed: number, count: number): Promise<void> {
  const random = new RandomStream(seed);
  const product = [...imports.keys()].filter((file) =>
    /^(runtime|ops)\/.*\.ts$/.test(file) && !file.endsWith("types.ts")
  );
  const files = drawFiles(product, Math.ceil(0.7 * count), random);
  const nearest = [...new Set(files.map((file) => nearestTests(file, tests, imports)[0]!))];
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
