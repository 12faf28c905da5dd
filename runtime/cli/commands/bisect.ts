import { ExitStatus, InputError, InterruptedError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { formatCounted } from "../../report/format.ts";
import { bisect, BisectLog, type Found, testsLeft } from "../commits/bisection.ts";
import { Checkouts } from "../commits/checkouts.ts";
import { planVersion } from "../commits/compare_versions.ts";
import { comparisonOf, createVersionCommand, splitArguments } from "../commits/flags.ts";
import { type CommitTest, COUNTS, testCommit } from "../commits/test_commit.ts";
import { versionText } from "../commits/version.ts";
import { readWorkload } from "../commits/workload.ts";
import { oneOf } from "../flag_values.ts";
import { checkTarget, STDOUT, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { writeError, writeOut } from "../terminal.ts";
import { interruptible } from "../watched.ts";

const TOOL = "tacho bisect";
const EXAMPLE = `${TOOL} v1.2 HEAD -- train.ts`;

export const define = () =>
  createVersionCommand({
    name: "bisect",
    description:
      "Finds the commit that made a Tacho script or a program slower. Commits between a good and a bad one are compared " +
      "with the good one in interleaved blocks, as by tacho compare-commits. A commit is bad if its verdict is slower, " +
      "and good if it is the same or faster; where it is unclear, twice as many rounds are measured, up to three times. " +
      "--count bisects by an exact count of a step instead, which needs no device for a script. Commits that fail are skipped. " +
      "What is known is kept in the git folder: the same command goes on after Ctrl-C.",
    examples: [
      [EXAMPLE, "find the commit since v1.2 that made the script's baseline slower"],
      [
        "tacho bisect v1.2 HEAD --count dispatches -- train.ts",
        "find the first commit with more dispatches per step",
      ],
      ["tacho bisect v1.2 HEAD --steps mark --setup 'npm ci' -- deno run -A bench.ts", "bisect any program"],
    ],
  })
    .usage("[options] <good> <bad> -- <script|deno> [arguments...]")
    .argument("<good>", "commit that is fast")
    .argument("<bad>", "later commit that is slow")
    .option(
      "--count <name>",
      `bisect by an exact count of a step: ${COUNTS.join(", ")}; more is bad, for kernels any change`,
      oneOf("--count", COUNTS),
    )
    .option("--restart", "forget what an interrupted bisection has found")
    .option("--json <file>", "write the outcome of each commit as JSON; - for stdout")
    .option("--no-store", "do not keep the comparisons");

type Options = ReturnType<ReturnType<typeof define>["opts"]>;

/** Bisects. Returns 1 if the first bad commit cannot be named exactly, or 130 after an interrupt. */
export async function run(args: readonly string[]): Promise<number> {
  const command = define();
  const { own, words } = splitArguments(TOOL, args, EXAMPLE);
  if (!parseCommand(command, own)) return ExitStatus.ok;
  const [good, bad] = command.processedArgs;
  const options = command.opts();
  if (options.json !== undefined) await checkTarget(options.json);
  const workload = readWorkload(TOOL, words);
  const { count = null } = options;
  return await interruptible(async (signal) => {
    await using checkouts = await Checkouts.open(Deno.cwd(), options.setup ?? []);
    const test: Omit<CommitTest, "good" | "planOfGood"> = {
      ...comparisonOf(options),
      ...{ workload, count, signal, name: "bisect", unit: null, perStep: null, report: undefined, profile: false },
    };
    return await search(checkouts, [good, bad], test, { ...options, words });
  });
}

/** Bisects between two commits, and prints what it finds. */
async function search(
  checkouts: Checkouts,
  [goodName, badName]: readonly [string, string],
  test: Omit<CommitTest, "good" | "planOfGood">,
  { json, restart, words, count, variant, steps, block, skip, rounds, processes, seed }: Options & {
    readonly words: readonly string[];
  },
): Promise<number> {
  const print = json === STDOUT ? writeError : writeOut;
  const [good, bad] = [await checkouts.hashOf(goodName), await checkouts.hashOf(badName)];
  if (good === bad || !(await checkouts.isAncestor(good, bad))) {
    throw new InputError(`${TOOL}: ${goodName} is no ancestor of ${badName}; expected the older commit first`);
  }
  const commits = await checkouts.between(good, bad);
  const question = { good, bad, words, count, variant, steps, block, skip, rounds, processes, seed };
  const log = BisectLog.open(await checkouts.gitFolder(), question, { restart: restart === true });
  if (log.entries.length > 0) print(`${formatCounted(log.entries.length, "commit")} known from an earlier bisection\n`);
  const goodVersion = await checkouts.add(goodName);
  print(`good: ${versionText(goodVersion)}\n`);
  let goodPlan: ReturnType<typeof planVersion> | undefined;
  const planOfGood = () => goodPlan ??= planVersion(test, goodVersion);
  const examine = async (index: number) => {
    const hash = commits[index]!;
    const known = log.find(hash);
    if (known !== undefined) return known.outcome;
    const commit = await checkouts.add(index === commits.length - 1 ? badName : hash);
    const { outcome, why } = await testCommit({ ...test, good: goodVersion, planOfGood }, commit);
    if (index < commits.length - 1) await checkouts.remove(hash);
    log.add({ hash, outcome, why });
    print(`${outcome}: ${versionText(commit)}: ${why}\n`);
    return outcome;
  };
  try {
    const last = await examine(commits.length - 1);
    if (last !== "bad") {
      await log.remove();
      throw new InputError(
        `${TOOL}: ${badName} is not bad: ${log.find(bad)!.why}; nothing to bisect` +
          (test.count === null ? "" : `, by ${test.count}`),
      );
    }
    print(`${formatCounted(commits.length - 1, "commit")} between, about ${testsLeft(commits.length)} to test\n`);
    const found = await bisect(commits.length, examine);
    await log.remove();
    print(`\n${await describe(checkouts, commits, found)}\n`);
    if (json !== undefined) {
      const [first, suspects] = [commits[found.first], found.suspects.map((index) => commits[index])];
      writeJson(json, { good, bad, first, suspects, tested: log.entries });
    }
    return found.suspects.length === 0 ? ExitStatus.ok : ExitStatus.gateFailed;
  } catch (error) {
    if (!isInstance(error, InterruptedError)) throw error;
    const known = formatCounted(log.entries.length, "commit");
    print(`Interrupted; ${known} tested. The same command goes on from here\n`);
    return ExitStatus.interrupted;
  }
}

async function describe(
  checkouts: Checkouts,
  commits: readonly string[],
  { first, suspects }: Found,
): Promise<string> {
  const text = await checkouts.describe(commits[first]!);
  if (suspects.length === 0) return `The first bad commit is ${text}`;
  const skipped = await Promise.all(suspects.map((index) => checkouts.describe(commits[index]!)));
  return [
    `The first bad commit is ${text}, or one of these, which could not be tested:`,
    ...skipped.map((each) => `  ${each}`),
  ].join("\n");
}
