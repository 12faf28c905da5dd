/** Variants in fresh processes: `measure.processes`. */
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { InputError } from "../../../../mod.ts";
import type { ScenarioSource } from "../../../../runtime/experiment/distributed/processes/protocol.ts";
import type { Result } from "../../../../runtime/result/schema.ts";
import { resolveScenario } from "../../../../runtime/scenario/resolve.ts";
import { DEFAULT_PROFILE } from "../../../../runtime/record/schedule.ts";
import { MemoryRecorder, runScenario, tiny } from "../../running.ts";
import { fullTest } from "../../../support/full.ts";

const script = import.meta.resolve("./trained.ts");
Deno.env.delete("FAULT");
const trained = await definitionOf(script);

/** Settings of a run with one process of each variant in each of two rounds, without a control arm. */
const SHORT = ["measure.rounds=2", "measure.aa=false"];

/** Imports the scenario as a process does, so that it does not run. */
async function definitionOf(script: string): Promise<Parameters<typeof resolveScenario>[0]> {
  const { becomeDataWorker } = await import("../../../../runtime/data/loader/data_worker.ts");
  becomeDataWorker();
  return (await import(script)).default;
}

/** Runs variants of the scenario in fresh processes. */
async function measured(
  overrides: readonly string[],
  { fault, ...options }: Parameters<typeof runScenario>[1] & { fault?: string } = {},
): Promise<Result> {
  const variants = fault === undefined || fault === "dies" ? ["baseline", "sink"] : ["baseline"];
  const scenario = resolveScenario(trained, { overrides, variants });
  const settings = { overrides, variants };
  const processSource: ScenarioSource = { script, args: [], flags: [], scenario: "trained", settings, adapter: null };
  if (fault !== undefined) Deno.env.set("FAULT", fault);
  try {
    return await runScenario(scenario, { processSource, ...options });
  } finally {
    Deno.env.delete("FAULT");
  }
}

Deno.test("variants run in fresh processes: same losses and plan as in one, a process is a set-up", async () => {
  const alone = await runScenario(
    resolveScenario(trained, {
      overrides: ["measure.processes=null", "measure.aa=false"],
      variants: ["baseline", "sink"],
    }),
  );
  const scenario = ["measure.processes=2", "evaluate.every=1"];
  const { variants, procedure } = await measured(scenario, { profile: DEFAULT_PROFILE });
  for (const { name, status, losses, blocks, planFingerprint, ops, counts, evaluations, memory } of variants) {
    const same = alone.variants.find((variant) => variant.name === name)!;
    equal(status, "ok");
    equal(planFingerprint, same.planFingerprint);
    deepEqual(losses, same.losses.slice(0, losses.length));
    deepEqual(blocks.map(({ setup }) => setup), [0, 0, 1, 1]);
    deepEqual(blocks.map(({ steps }) => steps.map(({ index }) => index)), [[2, 3], [4, 5], [2, 3], [4, 5]]);
    deepEqual(blocks.flatMap(({ steps }) => steps.map(({ loss }) => loss)), [...losses.slice(2), ...losses.slice(2)]);
    ok(ops.length > 0 && blocks[0]!.steps[0]!.forward !== null);
    equal(counts!.submits > 0 && memory!.peak > 0, true);
    deepEqual(evaluations.map(({ step }) => step), [losses.length]);
  }
  const { setups, secondArm, warnings } = procedure!;
  deepEqual([setups.count, setups.processes], [2, true]);
  deepEqual(secondArm!.blocks.map(({ setup }) => setup), [0, 0, 1, 1]);
  deepEqual(warnings.filter(({ kind }) => kind === "processes"), []);
  equal(variants[1]!.comparison!.setups, 2);
  ok(variants[1]!.comparison!.spread.setups !== null);
});

fullTest("an interrupted run goes on in new processes, which repeat the steps so far", async () => {
  const recorder = new MemoryRecorder();
  const first = await measured(["measure.aa=false"], {
    runRecorder: recorder,
    stops: () => recorder.kept.rounds.length === 1,
  });
  deepEqual(first.variants.map(({ status }) => status), ["interrupted", "interrupted"]);
  const { variants, procedure } = await measured(["measure.aa=false"], { runRecorder: recorder.again() });
  deepEqual(variants.map(({ status, blocks }) => [status, blocks.length]), [["ok", 4], ["ok", 4]]);
  deepEqual(variants[0]!.blocks.map(({ setup }) => setup), [0, 1, 2, 2]);
  equal(procedure!.setups.count, 3);
  deepEqual(procedure!.warnings.filter(({ kind }) => ["processes", "resumed"].includes(kind)), []);
});

Deno.test("a variant whose process dies, or differs, fails alone", async () => {
  const { variants } = await measured(SHORT, { fault: "dies" });
  for (const { error } of variants) match(error!.message, /the process of (baseline|sink) ended by SIGKILL before/);
  const renamed = await measured(SHORT, { fault: "renamed" });
  match(renamed.variants[0]!.error!.message, /defines no scenario "trained"; call scenario\(\) at the top level/);
});

fullTest("a training that does not repeat is named", async () => {
  const { procedure } = await measured(SHORT, { fault: "random" });
  const [warning] = procedure!.warnings.filter(({ kind }) => kind === "processes");
  match(warning!.message, /: the loss of step 0 is \S+ in one process and \S+ in another/);
});

Deno.test("settings that cannot go with processes are refused", async () => {
  const refused = (settings: Record<string, unknown>, message: RegExp) =>
    throws(() => resolveScenario(tiny(settings)), { name: "InputError", message });
  const measure = { processes: 2 };
  refused({ measure: { ...measure, setups: 2 } }, /measure\.setups: cannot be combined with measure\.processes/);
  refused({ measure, epochs: 2 }, /epochs: cannot be combined with measure\.processes/);
  refused({ measure, distribute: true }, /distribute: cannot be combined with measure\.processes/);
  refused({ measure: { processes: 0 } }, /measure\.processes: .*1/);
  await rejects(runScenario(tiny({ measure })), (error) => {
    ok(error instanceof InputError);
    match(error.message, /measure\.processes: needs a scenario at the top level of a script that is a file/);
    return true;
  });
});

fullTest("a script runs its variants in processes, with settings of the command line", async () => {
  const args = ["run", "-A", "--no-check", fileURLToPath(script), "--variants", "baseline,workers", "--rounds", "2"];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args, "--no-store", "--json", "-", "measure.aa=false", "loader.batchSize=8"],
  }).output();
  equal(code, 0, new TextDecoder().decode(stderr));
  const { variants, procedure }: Result = JSON.parse(new TextDecoder().decode(stdout));
  deepEqual(variants.map(({ name, blocks }) => [name, blocks.length]), [["baseline", 2], ["workers", 2]]);
  equal(procedure!.setups.count, 2);
  deepEqual(variants[0]!.losses, variants[1]!.losses.slice(0, 4)); // with a worker, steps drain its queue
});
