import type { AttachedDevice, AttachResult } from "../../analysis/attach/result.ts";
import { MAIN_REALM } from "../../attach/records.ts";
import { clockSentence } from "./clock_sentence.ts";
import { formatCount, formatCounted } from "../format.ts";

/** Says which device it is, how its steps were found, and what limits its times. */
export function deviceSentences(device: AttachedDevice): string[] {
  const { steps, steadySteps, timedSteps, clock, timestamps, lost } = device;
  if (device.totals.submits === 0) return ["nothing was submitted"];
  const warmUp = steps.steps.length - steadySteps;
  const found = steps.by === "none"
    ? `no steps: ${steps.how}`
    : `${formatCounted(steps.steps.length, "step")}: ${steps.how}`;
  return [
    steps.by === "none"
      ? found
      : `${found}; ${warmUp === 0 ? "no warm-up steps" : formatCounted(warmUp, "warm-up step")}; ` +
        `${timedSteps} of the ${warmUp === 0 ? "" : "other "}${steadySteps} timed`,
    ...timestamps === "none" ? ["no times of kernels: the device has no timestamp queries"] : [],
    ...lost === null || lost.reason === "destroyed"
      ? []
      : [`the device was lost (${lost.reason}): ${lost.message || "no message"}`],
    ...clockSentences(clock),
  ];
}

function clockSentences(clock: AttachedDevice["clock"]): string[] {
  const { unslotted, selfTimed } = clock;
  const difficult = clockSentence(clock);
  return [
    ...difficult === null ? [] : [difficult],
    ...unslotted > 0 ? [`${formatCount(unslotted)} dispatches were not timed: all query sets were in use`] : [],
    ...selfTimed > 0
      ? [
        `${formatCount(selfTimed)} render ${
          selfTimed === 1 ? "pass" : "passes"
        } with the program's own timestamps, not ` +
        "timed here",
      ]
      : [],
  ];
}

/** Names a device in a heading. */
export function deviceName({ adapter, label, realm }: AttachedDevice): string {
  const where = realm === MAIN_REALM ? "" : ` in worker ${realm.split("/").at(-1)}`;
  return `${label === "" ? "" : `${label}, `}${adapter || "unknown adapter"}${where}`;
}

/** Says what the result as a whole lacks. */
export function resultSentences({ devices, complete, notes }: AttachResult): string[] {
  return [
    ...devices.length === 0 ? ["the program requested no WebGPU device"] : [],
    ...complete || devices.length === 0 ? [] : ["the program ended without notice: what it did last may be missing"],
    ...notes,
  ];
}
