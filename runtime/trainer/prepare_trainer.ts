import { checkBudget, memoryLimit } from "../compile/budget.ts";
import { compileVariant } from "../compile/variant.ts";
import { InputError } from "../core/errors.ts";
import { describeDataset } from "../data/describe.ts";
import { loadDatasets } from "../data/sources/sources.ts";
import { Device } from "../device/device.ts";
import { SlotPool } from "../engine/slot_pool.ts";
import type { Scenario } from "../scenario/definition.ts";
import { resolveForAdapter } from "../scenario/resolve_for_adapter.ts";
import { Session } from "./session.ts";
import { openTrainer, type Trainer } from "./trainer.ts";

/** Options of `createTrainer`. */
export interface TrainerOptions {
  /** Name of the variant to train; defaults to the scenario's baseline. */
  readonly variant?: string;
  /** Overrides as on the command line, such as `"optimizer.learningRate=0.01"`. */
  readonly overrides?: readonly string[];
  /** Allows calls of `Trainer.gradients`; default false. Does not change results. */
  readonly keepGradients?: boolean;
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
}

/** Opens a device and prepares a variant for training: the work of `createTrainer()`, which loads it when it is called. */
export async function prepareTrainer(scenario: Scenario, options: TrainerOptions): Promise<Trainer> {
  const { overrides = [], adapter } = options;
  const variants = options.variant === undefined ? undefined : [options.variant];
  const resolved = await resolveForAdapter(scenario, { overrides, adapter, variants });
  const name = options.variant ?? resolved.baseline;
  const variant = resolved.variants.find((candidate) => candidate.name === name);
  if (variant === undefined) {
    throw new InputError(
      `createTrainer: the scenario has no variant "${name}"; known: ${resolved.variants.map((v) => v.name).join(", ")}`,
    );
  }
  const { config } = variant;
  if (config.distribute !== null) {
    throw new InputError("createTrainer: distribute needs run(), which starts the ranks; set distribute to false");
  }
  if (config.model === null) throw new InputError(`createTrainer: variant "${name}" has no model to train`);
  await loadDatasets([config.data]);
  const dataset = describeDataset(config.data);
  const device = await Device.open({ match: options.adapter });
  try {
    if (config.amp.level !== "O0" && !device.traits.f16) {
      throw new InputError(`amp is ${config.amp.level}, but the adapter "${device.info.name}" has no shader-f16`);
    }
    const limit = memoryLimit(config.memoryBudget, device.info);
    const compiled = compileVariant(config, dataset, device.traits, {
      checkMemory: (memory, least) => checkBudget([{ name, memory, least }], limit, "the budget"),
    });
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: config.seed, label: name });
    await device.settle();
    return openTrainer({ config, dataset, device, slots, session, keepGradients: options.keepGradients ?? false });
  } catch (error) {
    device.destroy();
    throw error;
  }
}
