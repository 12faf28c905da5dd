import type { AdapterInfo } from "../../device/adapter.ts";
import { adapterRecord } from "../environment.ts";
import type { ExperimentOptions } from "../options.ts";
import { checkAdapter } from "./resume.ts";

/**
 * Records the adapter of a run that is kept.
 *
 * @throws {InputError} if the run was begun on another adapter
 */
export function keepAdapter({ runRecorder }: Pick<ExperimentOptions, "runRecorder">, info: AdapterInfo): void {
  if (runRecorder == null) return;
  checkAdapter(runRecorder, info.name);
  runRecorder.keepAdapter(adapterRecord(info));
}
