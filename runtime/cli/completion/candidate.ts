/** A word that completes the command line. */
export interface Candidate {
  readonly text: string;
  /** A phrase, or empty. */
  readonly description: string;
}

/** Completions of a word: candidates, and the files or folders that the shell adds. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  readonly paths: "file" | "folder" | null;
}

export const NOTHING: Completions = { candidates: [], paths: null };

/** Returns candidates without descriptions. */
export function plain(texts: readonly string[]): Candidate[] {
  return texts.map((text) => ({ text, description: "" }));
}
