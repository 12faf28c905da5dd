/** A change to a program's code that may make its steps shorter. */
export interface ProgramAdvice {
  /** Slug of the rule, such as `waits`. */
  readonly kind: string;
  /** Sentence on the cost that the rule found. */
  readonly message: string;
  /** Change to the program, in the imperative. */
  readonly fix: string;
  readonly evidence: readonly { readonly label: string; readonly value: string }[];
  /** Largest time that the change can save in a step, in ms, and as a fraction of the step's wall time. */
  readonly mostMs: number;
  readonly share: number;
  /** Sentence on what bounds the time. */
  readonly reasoning: string;
}
