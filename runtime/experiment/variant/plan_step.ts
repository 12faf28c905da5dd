import type { OpWork, PlanChanges, PlannedStep, PlanStep } from "../../analysis/advice/planned_step.ts";
import { type Dispatch, runsPerStep } from "../../compile/plan.ts";
import { type CompiledVariant, compileVariant } from "../../compile/variant.ts";
import { TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { sizeOf } from "../../core/shape.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { DeviceTraits } from "../../device/traits.ts";
import type { Config } from "../../scenario/config.ts";

/**
 * Returns a function that plans a variant with changes, for advice: each of them once.
 *
 * @param compiled the variant without changes
 */
export function planner(
  config: Config,
  dataset: DatasetDescription,
  traits: DeviceTraits,
  compiled: CompiledVariant,
): PlanStep {
  const unchanged: PlanChanges = { batch: 1 };
  const plans = new Map<string, PlannedStep | null>([[JSON.stringify(unchanged), plannedStep(compiled)]]);
  return (changes) => {
    const key = JSON.stringify(changes);
    let plan = plans.get(key);
    if (plan === undefined) plans.set(key, plan = planStep(config, dataset, traits, changes));
    return plan;
  };
}

/** Plans a variant with changes. Returns null if they do not apply, as recomputation without blocks. */
function planStep(
  config: Config,
  dataset: DatasetDescription,
  traits: DeviceTraits,
  { batch, recompute, amp }: PlanChanges,
): PlannedStep | null {
  if (config.model === null) return null;
  if (recompute === true && (config.optimizer === null || config.recompute !== "none")) return null;
  const { loader } = config;
  const changed = {
    ...config,
    loader: { ...loader, batchSize: loader.batchSize * batch },
    ...recompute === true && { recompute: "blocks" as const },
    ...amp !== undefined && { amp: { ...config.amp, level: amp } },
  };
  try {
    return plannedStep(compileVariant(changed, dataset, traits));
  } catch (error) {
    if (isInstance(error, TachoError)) return null;
    throw error;
  }
}

function plannedStep({ memory, plan }: CompiledVariant): PlannedStep {
  const { nodes, segments } = plan;
  const dispatches = Map.groupBy(segments.flatMap((segment) => segment.dispatches), ({ nodeId }) => nodeId);
  const work = nodes.map(({ id, phase, flops, bytes, outputs, recomputed }): [string, OpWork] => {
    const own = dispatches.get(id) ?? [];
    const runs = runsPerStep(plan, phase);
    return [id, {
      flops: runs * flops,
      bytes: runs * bytes,
      elements: runs * outputs.reduce((sum, { shape }) => sum + sizeOf(shape), 0),
      dispatches: runs * own.length,
      workgroups: runs * own.reduce((sum, dispatch) => sum + workgroupsOf(dispatch), 0),
      recomputed: recomputed === true,
    }];
  });
  return { memory, work: new Map(work) };
}

function workgroupsOf({ kernel }: Dispatch): number {
  const [x, y, z] = kernel.grid;
  return x * y * z;
}
