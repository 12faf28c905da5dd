/** Files by path below the project's folder. */
export type Files = Readonly<Record<string, string>>;

/** A project that `tacho init` creates: a scenario, its test, and what runs them. */
export interface Template {
  /** Value of `--template`. */
  readonly name: string;
  /** Phrase for `--help` and the generated README. */
  readonly summary: string;
  /** File name of the scenario. */
  readonly script: string;
  /** Arguments of the scenario in the task `start`. */
  readonly args: string;
  /** Paragraphs of the generated README, in Markdown. */
  readonly about: string;
  /** The scenario, its test, and other files that only this template has. */
  readonly files: Files;
}
