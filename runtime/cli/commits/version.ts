/** A version of the user's code: a commit, the working tree, or a version of a package. */
export interface Version {
  /** Name that the user typed. */
  readonly name: string;
  /** Short hash of the commit, and its subject; empty if the name says everything. */
  readonly description: string;
  /** Folder in which its programs run. */
  readonly cwd: string;
  /** Flags of `deno run` that select it. */
  readonly flags: readonly string[];
}

/** Formats a version for a line: `main (3a5d449 The tests share their run)`. */
export function versionText({ name, description }: Version): string {
  if (description === "") return name;
  const [hash = ""] = description.split(" ");
  return name.startsWith(hash) ? description : `${name} (${description})`;
}
