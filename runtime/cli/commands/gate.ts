import { ExitStatus, InputError } from "../../core/errors.ts";
import { GATE_UNDECIDED } from "../gate_flags.ts";
import { readGates, reportGates } from "../gates.ts";
import { parseCommand } from "../parse_command.ts";
import { createCommand } from "./command.ts";
import { needStore } from "./store_access.ts";

/** Holds gates against a kept run. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "gate",
    description:
      "Holds conditions against a kept run, as --gate does with a run that is just over: status 1 unless all hold.",
    examples: [
      ['tacho gate last "speedup.sink>=1.1"', "the whole interval of the last run's speed-up"],
      ['tacho gate k3f2 "batchCost.*<=+5%@baseline"', "every variant against the baseline of the scenario"],
      ['tacho gate last "ips.amp>=-2%@last"', "against the run before it: a run is not compared with itself"],
    ],
  })
    .argument("<run>", "the id of a run, a part of it, or last")
    .argument("<conditions...>", "METRIC.VARIANT, one of >= <= > < == !=, and a value")
    .addOption(GATE_UNDECIDED);
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
  throw new InputError(`Run ${id} has no result to hold gates against; it is ${status}`);
}
