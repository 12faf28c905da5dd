import { resolve } from "node:path";
import { declaredFlags } from "../flags.ts";

/** Flags that say what to do with a result and not what to measure. */
const OUTPUT_FLAGS = [
  "--json",
  "--json-lines",
  "--report",
  "--gate",
  "--gate-undecided",
  "--store",
  "--no-store",
  "--resume",
  "--list",
  "--dry-run",
  "--quiet",
  "--debug",
  "--no-color",
];

/**
 * The part of a script's command line that decides what is measured and shown. Where results went is left out: a run that
 * is repeated must not write over what the first one wrote.
 */
export function experimentArgs(args: readonly string[]): string[] {
  return withoutFlags(args, OUTPUT_FLAGS);
}

/** Returns a command line without some flags and their values. */
export function withoutFlags(args: readonly string[], names: readonly string[]): string[] {
  const declared = new Map(declaredFlags().map(({ name, value }) => [name, value]));
  for (const name of names) if (!declared.has(name)) throw new Error(`There is no flag ${name}`);
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const [name = arg] = arg.split("=");
    if (!names.includes(name)) {
      kept.push(arg);
      continue;
    }
    if (arg !== name) continue;
    const next = args[i + 1];
    const takes = declared.get(name);
    if (takes === "required" || (takes === "optional" && next !== undefined && /^[^-][^=]*$/.test(next))) i++;
  }
  return kept;
}

/** A command line whose paths mean the same in another folder. `-` stands for stdout. */
export function withAbsolutePaths(args: readonly string[], cwd: string): string[] {
  const flags = declaredFlags().filter(({ isPath }) => isPath).map(({ name }) => name);
  const absolute = (path: string) => path === "-" || path === "" ? path : resolve(cwd, path);
  return args.map((arg, i) => {
    if (flags.includes(args[i - 1] ?? "")) return absolute(arg);
    const flag = flags.find((flag) => arg.startsWith(`${flag}=`));
    return flag === undefined ? arg : `${flag}=${absolute(arg.slice(flag.length + 1))}`;
  });
}

/** The value of the last `--flag value` or `--flag=value`; null where it is not given. */
export function flagValue(args: readonly string[], flag: string): string | null {
  let value: string | null = null;
  args.forEach((arg, i) => {
    if (arg === flag) value = args[i + 1] ?? value;
    else if (arg.startsWith(`${flag}=`)) value = arg.slice(flag.length + 1);
  });
  return value;
}
