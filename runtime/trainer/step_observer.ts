import type { Recorder } from "../record/recorder.ts";
import type { Session } from "./session.ts";

/** A step of a trainer as seen by an observer. */
export interface ObservedStep {
  /** Number of steps of the trainer before this one. */
  readonly index: number;
  readonly loss: number;
  /** Time to take the batch from the loader in ms; null for a batch of the script's own. */
  readonly readerCost: number | null;
}

/** Runs the steps of a trainer in its place and records them. */
export interface StepObserver {
  /** Receives spans of the host's work. */
  readonly recorder: Recorder;
  /** Submits a step on the current batch. */
  submit(session: Session): void;
  /** Called when the step's loss has been read. */
  onStep(step: ObservedStep): void;
}
