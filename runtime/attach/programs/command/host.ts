import type { RunFacts } from "./protocol.ts";

/** Words of a command, or a command line with the words of its shell. */
export type Launched =
  | { readonly words: readonly string[] }
  | { readonly shell: readonly string[]; readonly line: string };

/** Paths of the files that a command reads and writes. */
export interface CommandFiles {
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunLimits {
  readonly timeout: number;
  readonly untilClosed: boolean;
  /** Called with the process once it is there. */
  started?(pid: number): void;
}

/** Runs commands on an operating system. */
export interface CommandHost {
  /** Prepares this process. */
  open(): void;
  /**
   * Runs a command to its end.
   *
   * @param limits `timeout` (ms) ends it earlier, as does the end of stdin with `untilClosed`
   */
  run(launched: Launched, files: CommandFiles, limits: RunLimits): Promise<RunFacts | "timeout" | "closed">;
  /** Ends what commands have left behind. */
  end(): void;
}
