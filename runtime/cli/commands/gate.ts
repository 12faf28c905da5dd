import { ExitStatus, InputError } from "../../core/errors.ts";
import { GATE_UNDECIDED } from "../gate_flags.ts";
import { readGates } from "../../library/read_gates.ts";
import { reportGates } from "../gates.ts";
import { parseCommand } from "../parse_command.ts";
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
    .addOption(GATE_UNDECIDED);

/** Checks gates on a kept run. */
export async function run(args: readonly string[]): Promise<number> {
  const command = define();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store: folder, color, gateUndecided } = command.opts();
  const [name, conditions] = command.processedArgs;
  const { id, result, adapter } = load(folder, name);
  const gates = await readGates(conditions, {
    scenario: result.scenario.name,
    variants: result.variants.map((variant) => variant.name),
    adapter: () => Promise.resolve(adapter),
    store: folder,
    run: id,
  });
  return reportGates(gates, result, { json: undefined, color, gateUndecided });
}

function load(folder: string | undefined, name: string) {
  using store = needStore(folder);
  const id = store.resolve(name);
  const result = store.result(id);
  const { adapter, status } = store.run(id);
  if (result !== null) return { id, result, adapter };
  throw new InputError(`Run ${id} is ${status} and has no result to check gates on`);
}
