/** Options of `createTrainer`. */
export interface TrainerOptions {
  /** Name of the variant to train; defaults to the scenario's baseline. */
  readonly variant?: string;
  /** Overrides as on the command line, such as `"optimizer.learningRate=0.01"`. */
  readonly overrides?: readonly string[];
  /** Allows calls of `Trainer.gradients`; default false. Does not change results. */
  readonly keepGradients?: boolean;
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
}
