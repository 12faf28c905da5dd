/** Flags of `deno run` and `deno serve` whose value may be the next argument. */
const WITH_VALUE = new Set([
  ...["--port", "--host", "--config", "-c", "--import-map", "--lock", "--location", "--cert", "--log-level", "-L"],
  ...["--seed", "--preload", "--require", "--min-dep-age", "--minimum-dependency-age", "--conditions", "--ext"],
  ...["--node-modules-linker", "--inspect-publish-uid"],
]);

/** A flag of Deno. */
export interface DenoFlag {
  readonly name: string;
  /** Value after `=` or in the next argument; null without one. */
  readonly value: string | null;
  /** Arguments as they were written. */
  readonly written: readonly string[];
}

/** Splits the arguments of `deno run` or `deno serve` into Deno's flags and the rest, which begins with the program. */
export function splitFlags(args: readonly string[]): { flags: readonly DenoFlag[]; rest: readonly string[] } {
  const flags: DenoFlag[] = [];
  let at = 0;
  // The program `-` is stdin
  for (; at < args.length && args[at]!.startsWith("-") && args[at] !== "-"; at++) {
    const arg = args[at]!;
    const [name = "", inline] = arg.split(/=(.*)/s);
    const next = inline === undefined && WITH_VALUE.has(name) ? args[++at] : undefined;
    flags.push({ name, value: inline ?? next ?? null, written: next === undefined ? [arg] : [arg, next] });
  }
  return { flags, rest: args.slice(at) };
}
