import { evaluateGates } from "../../analysis/gates/evaluate_gates.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { checkedGate, holds } from "../../library/check_result.ts";
import { type Gates, readGates } from "../../library/read_gates.ts";
import type { Result } from "../../result/schema.ts";
import { ANNOTATIONS, GATE_UNDECIDED, JUNIT } from "../gate_flags.ts";
import { writeChecks } from "../ci/write_checks.ts";
import { reportGates } from "../gates.ts";
import { STDOUT, stdoutIsData, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { createCommand } from "./command.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "gate",
    description:
      "Checks conditions on a kept run, like --gate at the end of a run. Exits with status 1 unless all conditions hold.",
    examples: [
      ['tacho gate last "speedup.sink>=1.1"', "check the whole interval of the last run's speed-up"],
      ['tacho gate k3f2 "batchCost.*<=+5%@baseline"', "compare every variant with the baseline of the scenario"],
      ['tacho gate last "ips.amp>=-2%@last"', "compare with the previous run of the scenario"],
    ],
  })
    .argument("<run>", "ID of a run, a part of it, or last")
    .argument("<conditions...>", "METRIC.VARIANT, one of >= <= > < == !=, and a value")
    .addOption(GATE_UNDECIDED)
    .addOption(ANNOTATIONS)
    .addOption(JUNIT)
    .option("--json", "print the outcome of each condition as JSON");

/** Checks gates on a kept run. */
export const run = runOf(
  define,
  async ({ store: folder, color, gateUndecided, annotations, junit, json = false }, [name, conditions]) => {
    const { id, result, adapter } = load(folder, name);
    const gates = await readGates(conditions, {
      scenario: result.scenario.name,
      variants: result.variants.map((variant) => variant.name),
      adapter: () => Promise.resolve(adapter),
      store: folder,
      run: id,
    });
    const output = { json: json ? STDOUT : undefined, junit };
    const status = json
      ? await printOutcomes(gates, result, gateUndecided)
      : reportGates(gates, result, { ...output, color, gateUndecided });
    await writeChecks({ annotations, junit, gateUndecided }, {
      scenario: result.scenario.name,
      file: result.scenario.file,
      gated: result,
      gates,
      result,
      command: null,
      toStderr: stdoutIsData(output),
    });
    return status;
  },
);

/** Prints outcomes as JSON. Returns the exit status. */
async function printOutcomes(
  { gates, runs }: Gates,
  result: Result,
  undecided: "pass" | "fail" = "fail",
): Promise<number> {
  const outcomes = evaluateGates(gates, result, runs).map(checkedGate);
  const passed = outcomes.every((gate) => holds(gate, undecided));
  await writeJson(STDOUT, { passed, gates: outcomes });
  return passed ? ExitStatus.ok : ExitStatus.gateFailed;
}

function load(folder: string | undefined, name: string) {
  using store = needStore(folder);
  const id = store.resolve(name);
  const result = store.result(id);
  const { adapter, status } = store.run(id);
  if (result !== null) return { id, result, adapter };
  throw new InputError(`Run ${id} is ${status} and has no result to check gates on`);
}
