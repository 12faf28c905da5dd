import { type HostMeasurements, hostResult } from "../../experiment/host_result.ts";
import { FUNCTION_MODE } from "../../report/own_loop.ts";
import type { VariantResult } from "../../result/schema.ts";

/** Measurements of a function. */
export interface FunctionMeasurements extends HostMeasurements {
  /** True if it reported times of the device. */
  readonly onDevice: boolean;
}

/** Settings of a function in a result. */
export interface FunctionSettings {
  readonly unit: string;
  readonly samples: number;
  /** Calls per step; null if they are chosen later. */
  readonly calls: number | null;
  readonly measure: { readonly steps?: number; readonly skip: number; readonly rounds: number };
}

/** Returns the settings of a benchmarked function, as a variant has them. */
export function functionConfig(
  { unit, samples, calls, measure: { steps, skip, rounds } }: FunctionSettings,
  onDevice = false,
): VariantResult["config"] {
  return {
    model: null,
    mode: FUNCTION_MODE,
    optimizer: null,
    data: { unit },
    timing: onDevice ? "event" : null,
    samples,
    calls,
    measure: { ...steps === undefined ? {} : { steps }, skip, rounds },
  } as VariantResult["config"];
}

/** Returns the result of a function, without comparisons. */
export function functionResult(
  name: string,
  place: FunctionSettings,
  { onDevice, ...measured }: FunctionMeasurements,
): VariantResult {
  return hostResult(name, functionConfig(place, onDevice), measured);
}
