/**
 * Messages between Tacho and the process that starts a command. Tacho writes requests to its stdin, one JSON object a line;
 * the process appends events to a file, one a line. The end of stdin ends the command and the process. Times are in ms.
 *
 * @module
 */
import type { Loss } from "../protocol.ts";

/** A command to run, and what surrounds its runs. */
export interface CommandSettings {
  /** File for the events. */
  readonly events: string;
  /** Folder for the output of the command. */
  readonly folder: string;
  /** Command line for the shell, or words without one. */
  readonly command: string | readonly string[];
  /** Words of the shell; null to run commands without one. */
  readonly shell: readonly string[] | null;
  /** Command before all runs; null for none. */
  readonly setup: string | null;
  readonly prepare: string | null;
  readonly conclude: string | null;
  /** Command after all runs; null for none. */
  readonly cleanup: string | null;
  /** File that the command reads as its stdin; null for an empty one. */
  readonly input: string | null;
  /** Keeps the stdout of each run in {@linkcode STDOUT_FILE} of the folder. */
  readonly keepStdout: boolean;
  /** Source of the regular expression of a line that ends a step; null where the whole run is the step. */
  readonly line: string | null;
  /** Longest time of a run, or without a step. */
  readonly timeout: number;
}

/** Name of the file with the stdout of the last run. */
export const STDOUT_FILE = "stdout";

/** Name of the file with the stderr of the last run. */
export const STDERR_FILE = "stderr";

export type CommandRequest =
  | { readonly do: "steps"; readonly count: number }
  /** Runs the command to its end, starts it and holds it after its first step, or ends it. */
  | { readonly do: "run" | "start" | "stop" };

/** A run of a command from its start to its end. */
export interface RunFacts {
  readonly wall: number;
  /** Processor time of its processes in user and kernel mode; null where the system does not tell. */
  readonly user: number | null;
  readonly system: number | null;
  /** Peak memory of its largest process in bytes; null where the system does not tell. */
  readonly memory: number | null;
  /** Exit status; 128 + the number of the signal that ended it, as in a shell. */
  readonly status: number;
}

export type CommandEvent =
  /** A process of the command has started. */
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "run"; readonly run: RunFacts }
  /** The command is held after steps, with the time and loss of each. The first hold has the loss of the first step only. */
  | { readonly kind: "held"; readonly times: readonly number[]; readonly losses: readonly (Loss | null)[] }
  /** The command has ended before the steps that it was asked for. */
  | { readonly kind: "ended"; readonly status: number }
  | { readonly kind: "timeout" }
  /** A command around the runs has failed. */
  | { readonly kind: "failed"; readonly which: string; readonly command: string; readonly status: number };
