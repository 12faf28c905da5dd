import { createProgress, type Progress, progressMode } from "../report/live/progress.ts";
import { nameInProse, namesInProse } from "../report/plain_text.ts";
import { isDumb, stderr, terminalSize } from "./terminal.ts";

/** Options of {@linkcode stderrProgress}. */
export interface StderrProgressOptions {
  /** Prints nothing. */
  readonly quiet: boolean;
  /** True if stdout takes data, which must not mix with a line that is drawn again on the same terminal. */
  readonly dataOnStdout: boolean;
  /** Returns true once the run is asked to end. */
  readonly interrupted?: () => boolean;
}

/** Creates the progress of a run on stderr, in the form that suits the terminal. */
export function stderrProgress({ quiet, dataOnStdout, interrupted }: StderrProgressOptions): Progress {
  return createProgress({
    stream: stderr,
    mode: progressMode({ isTerminal: Deno.stderr.isTerminal(), dumb: isDumb(), quiet, dataOnStdout }),
    size: terminalSize,
    ...interrupted === undefined ? {} : { interrupted },
  });
}

/** Returns the first line of a run, with the names of its variants. */
export function startLine(scenario: string, variants: readonly string[]): string {
  const count = variants.length === 1 ? "1 variant" : `${variants.length} variants`;
  return `${nameInProse(scenario)}: ${count}: ${namesInProse(variants)}`;
}
