/**
 * Messages between Tacho and the process of a variant. Tacho writes commands to the process's stdin, one JSON object a line,
 * and the process appends replies to a file. The end of stdin ends the process. Times are in ms.
 *
 * @module
 */
import type { LoaderProfile } from "../../../data/loader/meter.ts";
import type { Loss, LossScale } from "../../../result/schema.ts";
import type { ResolveOptions } from "../../../scenario/resolve.ts";
import type { KeptBlock, KeptTuning } from "../../../store/run_recorder.ts";
import type { BlockPlace } from "../../arm.ts";
import type { PreparedFacts } from "../../variant/prepared.ts";

/** Script and settings from which a process can plan any variant of a run. */
export interface ScenarioSource {
  /** URL of the script, which registers the scenario. */
  readonly script: string;
  /** Arguments of the script. */
  readonly args: readonly string[];
  /** Flags of Deno that name its configuration; none if Deno finds it. */
  readonly flags: readonly string[];
  /** Name of the scenario. */
  readonly scenario: string;
  /** Settings from outside the script, with the keys of `adapters` that apply. */
  readonly settings: ResolveOptions;
  /** Part of the name of the adapter; null for the system's first. */
  readonly adapter: string | null;
}

/** Settings of the process of a variant. */
export interface ProcessSettings {
  readonly source: Pick<ScenarioSource, "script" | "scenario" | "settings" | "adapter">;
  /** Name of the variant in the scenario. */
  readonly variant: string;
  /** Name of the arm. */
  readonly arm: string;
  /** Fingerprint of its plan; null without a model. */
  readonly fingerprint: string | null;
  /** Kernels chosen by timing; null for the default ones. */
  readonly tuning: KeptTuning | null;
  readonly cache: boolean;
  /** File for the replies. */
  readonly events: string;
  /** Process ID of Tacho. The process ends if it has another parent. */
  readonly parent: number;
}

/** Commands, as the methods of an arm. */
export type ProcessCommand =
  | { readonly do: "prepare" }
  | { readonly do: "compile" }
  | { readonly do: "compile only" }
  | { readonly do: "warm up"; readonly steps: number }
  | {
    readonly do: "measure";
    readonly place: BlockPlace;
    readonly steps: number;
    readonly drain: boolean;
    /** True for the first block, before which the times of the warm-up are discarded. */
    readonly isFirst: boolean;
  };

/** Facts about a variant that a process has prepared. */
export interface ProcessFacts extends PreparedFacts {
  /** Time to prepare it. */
  readonly setup: number | null;
}

/** Steps that a command has run. */
export interface RunSteps {
  readonly losses: readonly (Loss | null)[];
  /** Course of the loss scale since the first step. */
  readonly scale: LossScale;
}

/** Values of the replies by command. */
export interface ReplyValues {
  readonly "prepare": ProcessFacts;
  readonly "compile": null;
  readonly "compile only": { readonly firstStep: number | null };
  readonly "warm up": RunSteps & { readonly wall: number; readonly firstStep: number | null };
  readonly "measure": RunSteps & {
    readonly kept: Omit<KeptBlock, "arm"> | null;
    /** Profile of the loader; null without a block. */
    readonly loaded: LoaderProfile | null;
  };
}

/** A reply to a command, or the progress of one. */
export type ProcessEvent =
  | { readonly kind: "progress"; readonly done: number; readonly all: number }
  | { readonly kind: "done"; readonly value: ReplyValues[ProcessCommand["do"]] }
  | { readonly kind: "failed"; readonly message: string; readonly exitStatus: number };
