import type { SpanSums } from "../record/recorder.ts";
import type { AdapterRecord, AutotuneResult, Block, Loss } from "../result/schema.ts";

/** What one arm of a round measured. */
export interface KeptBlock {
  /** Name of the variant, or of the control arm. */
  readonly arm: string;
  readonly block: Block;
  readonly host: KeptHost;
}

/** What the host saw of a block besides its steps' times; plain data, as a block is. */
export interface KeptHost {
  /** ms of the runtime's own sleep. */
  readonly runtimeWait: number;
  /** What the device was asked to do, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** By step: ms of copying the batch, batches ready in the loader, batches that wait on the device. */
  readonly letData: readonly number[];
  readonly hostQueue: readonly number[];
  readonly deviceQueue: readonly (number | null)[];
  /** By step: how many of the ready batches each worker has made; left out without workers. */
  readonly workerQueues?: readonly (readonly number[])[];
  /** What the host did, by name; not in runs of earlier versions. */
  readonly work?: Readonly<Record<string, SpanSums>>;
}

/** How an arm got ready: taken up again, it runs as many steps before its first block. */
export interface KeptWarmUp {
  readonly arm: string;
  readonly steps: number;
  readonly steady: boolean;
  /** Left out where no kernels were chosen by timing them. */
  readonly tuning?: KeptTuning;
}

/** The kernels that an arm runs, so that it runs them again whatever became of the cache of times. */
export interface KeptTuning {
  /** The candidate for each op, by its key. */
  readonly choices: Readonly<Record<string, string>>;
  readonly outcome: AutotuneResult;
}

/** A round of which every arm ran its block; the blocks of one round are compared with each other. */
export interface KeptRound {
  readonly round: number;
  /** Arms in the order in which they ran. */
  readonly order: readonly string[];
  readonly blocks: readonly KeptBlock[];
  /** ms that the probe kernel took after the round; null where it was not run. */
  readonly probe: number | null;
}

/** An arm that cannot go on. */
export interface KeptFailure {
  readonly arm: string;
  readonly round: number;
  readonly message: string;
  readonly exitStatus: number;
}

/**
 * Where a running experiment puts what it has measured, so that an interruption loses no whole round, and where it finds
 * what was measured before it was interrupted.
 */
export interface RunRecorder {
  /** Whole rounds of earlier sittings, in order; none for a new run. */
  readonly rounds: readonly KeptRound[];
  readonly warmUps: readonly KeptWarmUp[];
  readonly failures: readonly KeptFailure[];
  /** How often the run was taken up again. */
  readonly resumed: number;
  /** Name of the adapter that an earlier sitting ran on; null where there was none, or it is not known. */
  readonly adapter: string | null;
  /** Losses of an arm's steps from the first, as far as earlier sittings got: the same steps must give them again. */
  losses(arm: string): readonly (Loss | null)[];
  /** Keeps what the run is measured on, before it is: a run that is killed has it too. */
  keepAdapter(adapter: AdapterRecord): void;
  /** Keeps a round; it is on the disk when this returns. */
  keepRound(round: KeptRound): void;
  keepWarmUp(warmUp: KeptWarmUp): void;
  keepFailure(failure: KeptFailure): void;
  /** Keeps losses of an arm's steps from `first` on; of steps that are kept already, the new ones stay. */
  keepLosses(arm: string, first: number, losses: readonly (Loss | null)[]): void;
}
