import { plannedResult } from "../../analysis/gates/planned_result.ts";
import { isIsaGate } from "../../analysis/gates/gate_metrics.ts";
import type { GatedVariant } from "../../analysis/gates/reading.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { shellWord } from "../../core/shell_word.ts";
import { readGates } from "../../library/read_gates.ts";
import { renderCountChanges } from "../../report/count_changes.ts";
import type { DryRunVariant } from "../../result/dry_run.ts";
import type { Result } from "../../result/schema.ts";
import { ANNOTATIONS, GATE, GATE_UNDECIDED, JUNIT } from "../gate_flags.ts";
import { AFTER, BEFORE, compareVersions, type PlannedPair, planVersions } from "../commits/compare_versions.ts";
import { comparisonOf, createVersionCommand, splitArguments } from "../commits/flags.ts";
import { type Version, versionText } from "../commits/version.ts";
import { withVersions } from "../commits/version_pair.ts";
import { readWorkload } from "../commits/workload.ts";
import { folder, wholeNumber } from "../flag_values.ts";
import { judge } from "../gates.ts";
import { checkTarget, stdoutIsData, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { addEstimates } from "../isa/gated.ts";
import { resultText } from "../result_text.ts";
import { lookOfStdout, warn, writeError, writeOut } from "../terminal.ts";
import { interruptible } from "../watched.ts";

const TOOL = "tacho compare-commits";
const EXAMPLE = `${TOOL} main . -- train.ts batchSize=64`;

export const define = () =>
  createVersionCommand({
    name: "compare-commits",
    description:
      "Compares two commits of a repository, or two versions of an npm package, in one interleaved matrix. Each version " +
      "runs in a separate process: a Tacho script with its settings, or any program of Deno that uses WebGPU. Commits " +
      "are checked out in a temporary folder, which is removed afterwards; . is the working tree with its changes. The " +
      "versions are called before and after in tables and gates, and @before is the first one's value.",
    examples: [
      ["tacho compare-commits main . -- train.ts", "the working tree beside main, by the baseline of a Tacho script"],
      ["tacho compare-commits v1.2 HEAD --variant sink -- train.ts seed=2", "another variant, with a setting"],
      ["tacho compare-commits HEAD~1 HEAD --steps mark -- deno run -A bench.ts", "any program that uses WebGPU"],
      [
        "tacho compare-commits npm:@scope/lib@1.0.0 npm:@scope/lib@1.1.0 -- deno run -A bench.ts",
        "two versions of a package",
      ],
      ["tacho compare-commits npm:lib@1.0.0 file:../lib -- deno run -A bench.ts", "a package in a folder or a tarball"],
      [
        "tacho compare-commits origin/main HEAD --dry-run --gate 'exact.dispatches.after<=@before' -- train.ts",
        "exact counts alone, without a device",
      ],
      ["tacho compare-commits main . --gate 'speedup.after>=0.95' -- train.ts", "fail if it is more than 5 % slower"],
    ],
  })
    .usage("[options] <before> <after> -- <script|deno> [arguments...]")
    .argument("<before>", "commit, npm:NAME@VERSION, or file:PATH of a package's folder or tarball")
    .argument("<after>", "the version compared with it; . for the working tree")
    .option("--unit <units>", "unit that a step processes, in the plural (default: samples of a script, else steps)")
    .option("--per-step <n>", "units that a step processes", wholeNumber("--per-step", 1))
    .option("--dry-run", "compare the plans of a script, without a device and without measuring")
    .addOption(GATE)
    .addOption(GATE_UNDECIDED)
    .addOption(ANNOTATIONS)
    .addOption(JUNIT)
    .option("--name <name>", "name of the comparison in the store (default: compare-commits)")
    .option("--report <dir>", "write a page, Markdown, CSV and JSON to this folder", folder("--report"))
    .option("--json <file>", "write the whole result as JSON; - for stdout")
    .option("--no-store", "do not keep the result");

type Options = ReturnType<ReturnType<typeof define>["opts"]>;

/** Compares two versions. Returns 1 if a gate fails, the status of a version that fails, or 130 after an interrupt. */
export async function run(args: readonly string[]): Promise<number> {
  const command = define();
  const { own, words } = splitArguments(TOOL, args, EXAMPLE);
  if (!parseCommand(command, own)) return ExitStatus.ok;
  const [first, second] = command.processedArgs;
  const options = command.opts();
  if (options.json !== undefined) await checkTarget(options.json);
  const workload = readWorkload(TOOL, words);
  if (options.dryRun && workload.kind === "program") {
    throw new InputError("--dry-run: a program has no plan; expected a Tacho script after --");
  }
  // Malformed gates are refused before anything is checked out
  const names = [BEFORE, AFTER];
  const context = {
    scenario: TOOL,
    variants: names,
    adapter: () => Promise.resolve(null),
    store: undefined,
    run: null,
  };
  const known = { [BEFORE]: { variants: names.map((name) => ({ name })) } as unknown as Result };
  const read = options.gate === undefined ? null : await readGates(options.gate, { ...context, results: known });
  const estimates = options.dryRun === true && read !== null && read.gates.some(isIsaGate);
  return await interruptible((signal) =>
    withVersions([first, second], { workload, setup: options.setup ?? [], onWarning: warn }, async (before, after) => {
      const place = { workload, variant: options.variant ?? null, before, after };
      const plans = await planVersions(place, estimates);
      if (options.dryRun) {
        const outcome = planned(plans!);
        if (estimates) await addEstimates(outcome.variants, [plans!.before, plans!.after]);
        return await finish(outcome, { before, after, interrupted: false }, options, words);
      }
      const { result, interrupted } = await compareVersions(
        {
          ...comparisonOf(options),
          ...place,
          name: options.name ?? "compare-commits",
          unit: options.unit ?? null,
          perStep: options.perStep ?? null,
          profile: true,
          report: options.report,
        },
        plans,
        { signal, dataOnStdout: stdoutIsData(options) },
      );
      if (result === null) return ExitStatus.interrupted;
      return await finish({ result, variants: result.variants }, { before, after, interrupted }, options, words);
    })
  );
}

/** Outcome of a comparison: a result, or plans without one. */
interface Outcome {
  readonly result: Result | null;
  readonly variants: GatedVariant[];
}

function planned(plans: PlannedPair): Outcome {
  const variant = (name: string, { exact, memory, config }: PlannedPair["before"]): DryRunVariant => ({
    ...{ name, exact, memory, config: config as unknown as DryRunVariant["config"] },
    ...{ parameters: null, flops: null, inputShape: null, error: null },
  });
  const variants = [variant(BEFORE, plans.before), variant(AFTER, plans.after)];
  const plan = {
    scenario: TOOL,
    baseline: BEFORE,
    adapter: null,
    adapted: null,
    ranks: null,
    variants,
    resident: null,
    error: null,
  };
  return { result: null, variants: [...plannedResult(plan).variants] };
}

/** Prints and writes a comparison, and checks the gates. */
async function finish(
  { result, variants }: Outcome,
  { before, after, interrupted }: { readonly before: Version; readonly after: Version; readonly interrupted: boolean },
  options: Options,
  words: readonly string[],
): Promise<number> {
  const { json, junit, annotations, gateUndecided, color } = options;
  const output = { json, junit };
  const toStderr = stdoutIsData(output);
  const look = lookOfStdout(color);
  const [then, now] = [BEFORE, AFTER].map((name) => variants.find((variant) => variant.name === name));
  if (!toStderr) {
    writeOut(`before: ${versionText(before)}\nafter:  ${versionText(after)}\n\n`);
    if (result !== null) writeOut(resultText(result, { pipeline: false, color }));
    if (then?.exact != null && now?.exact != null) {
      writeOut(`${result === null ? "" : "\n"}${renderCountChanges(then.exact, now.exact, look)}`);
    }
  }
  const versions = { before: versionText(before), after: versionText(after) };
  if (json !== undefined) {
    writeJson(json, result ?? { versions, baseline: BEFORE, variants });
  }
  if (interrupted) return ExitStatus.interrupted;
  const gated = { baseline: BEFORE, variants: [...variants] };
  const reference = { ...result, ...gated, variants: then === undefined ? [] : [then, { ...then, name: AFTER }] };
  const gates = options.gate === undefined ? null : await readGates(options.gate, {
    ...{ scenario: TOOL, variants: [BEFORE, AFTER], adapter: () => Promise.resolve(null), store: undefined, run: null },
    results: { [BEFORE]: reference as Result },
  });
  const command = [TOOL, before.name, after.name, "--", ...words].map(shellWord).join(" ");
  const status = await judge(
    { scenario: TOOL, file: null, gated, gates, result, command },
    { ...output, annotations, color, gateUndecided },
  );
  const failed = variants.find(({ error }) => error !== null);
  if (failed !== undefined && toStderr) writeError(`${failed.name}: ${failed.error!.message}\n`);
  return status;
}
