import { InputError } from "../../core/errors.ts";
import type { ScenarioSource } from "../distributed/processes/protocol.ts";
import { ProcessRun } from "../distributed/processes/process_run.ts";
import type { Planned } from "../planning.ts";
import { DistributedRun } from "../distributed/distributed_run.ts";
import { type VariantPlace, VariantRun } from "./run.ts";

/** Place of a variant among the arms. */
export interface ArmPlace extends VariantPlace {
  /** Position of the arm, the same on all ranks. */
  readonly index: number;
  /** Name of its variant, which differs from that of the control arm. */
  readonly of: string;
  /** True if it runs in fresh processes. */
  readonly inProcesses: boolean;
  /** Script from which processes plan variants; null where none can. */
  readonly source: ScenarioSource | null;
  /** Called if processes of the arm do not train alike. */
  onWarning(message: string): void;
}

/**
 * Returns the arm of a planned variant: in this process, in fresh processes, or together with other ranks.
 *
 * @throws {InputError} if it should run in fresh processes, and no script can be imported there
 */
export function variantArm({ variant, dataset, compiled, error }: Planned, place: ArmPlace): VariantRun {
  const { cluster, index, of, inProcesses, source, onWarning } = place;
  const run = [variant, dataset, compiled, place] as const;
  let arm: VariantRun;
  if (cluster?.rank === 0 && variant.config.distribute !== null) arm = new DistributedRun(index, cluster, ...run);
  else if (!inProcesses) arm = new VariantRun(...run);
  else if (source !== null) arm = new ProcessRun({ source, variant: of, onWarning }, ...run);
  else {
    throw new InputError(
      "measure.processes: needs a scenario at the top level of a script that is a file, and cannot be combined with " +
        "--tune; set it to null",
    );
  }
  if (error !== null) arm.fail(error);
  return arm;
}
