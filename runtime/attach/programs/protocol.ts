/**
 * Messages between Tacho and a program that is held between blocks of steps. The program appends events to a file, one JSON
 * object a line; Tacho writes the number of steps to run to the program's stdin, one a line. The end of stdin ends the
 * program. Times are in ms.
 *
 * @module
 */
import { parseSteps, type Steps } from "../settings.ts";

/** Device of a program, as WebGPU describes it. */
export interface ProgramDevice {
  readonly adapterInfo: GPUAdapterInfo;
  readonly limits: GPUSupportedLimits;
  readonly features: readonly string[];
}

/** Work of steps; see `result/steps.ts`. */
export interface Work {
  readonly dispatches: number;
  readonly renderPasses: number;
  readonly uploadBytes: number;
  readonly marks: number;
}

/** A loss in JSON. */
export type Loss = number | "NaN" | "Infinity" | "-Infinity";

/** A program is held: it has run the steps that it was asked for, and its device is done. */
export interface HeldEvent {
  readonly kind: "held";
  /** Device whose steps are counted; null after the first hold. */
  readonly device: ProgramDevice | null;
  /** Wall time of each step; the last includes the wait for the device. Empty at the first hold. */
  readonly times: readonly number[];
  /** Loss that each step reported; null without one. At the first hold, that of the step before it. */
  readonly losses: readonly (Loss | null)[];
  /** Work of these steps; null without a device. */
  readonly work: Work | null;
  /** End of the last step, in ms since 1970. */
  readonly end: number;
  /** Start of the program up to its first step; null after the first hold. */
  readonly start: StartFacts | null;
}

/** Start of a program up to the end of its first step. */
export interface StartFacts {
  /** Time at which it had its first device, in ms since 1970. */
  readonly device: number;
  /** Time in which it created shader modules and pipelines, or waited for the latter, in ms. */
  readonly compilation: number;
  /** Time in calls that upload data, in ms. */
  readonly upload: number;
}

/** Sign of life of a running program: steps of this block so far. */
export interface StepsEvent {
  readonly kind: "steps";
  readonly done: number;
}

/** The device whose steps are counted was lost or destroyed. */
export interface LostEvent {
  readonly kind: "lost";
  readonly reason: string;
  readonly message: string;
}

/** The program has reported an output, see `output_value.ts`. */
export interface OutputEvent {
  readonly kind: "output";
  readonly value: unknown;
}

export type ProgramEvent = HeldEvent | StepsEvent | LostEvent | OutputEvent;

/** Settings of the module that holds a program. */
export interface GateSettings {
  /** File for the events. */
  readonly events: string;
  readonly steps: Steps;
  /** Folder for the records of a profile, in which kernels are timed; null to time nothing on the device. */
  readonly records: string | null;
}

/** Returns the specifier of the module that holds a program, with its settings. */
export function gateSpecifier({ events, steps, records }: GateSettings): string {
  const url = new URL(import.meta.resolve("./gate.ts"));
  url.search = new URLSearchParams({ events, steps: stepsText(steps), records: records ?? "" }).toString();
  return url.href;
}

/** Reads what {@linkcode gateSpecifier} wrote. */
export function readGateSettings({ searchParams }: URL): GateSettings {
  return {
    events: searchParams.get("events") ?? "",
    steps: parseSteps(searchParams.get("steps") ?? "") ?? { by: "auto" },
    records: searchParams.get("records") || null,
  };
}

function stepsText(steps: Steps): string {
  return steps.by === "submit" ? `submit:${steps.count}` : steps.by;
}
