import { resolve } from "node:path";

/** Whether flags take a value, by name. */
export type FlagValues = Readonly<Record<string, "none" | "one" | "optional">>;

/** Flags that say what to do with a result and not what to measure: whether they take a value. */
const OUTPUT_FLAGS: FlagValues = {
  "--json": "one",
  "--report": "one",
  "--gate": "one",
  "--gate-undecided": "one",
  "--store": "one",
  "--no-store": "none",
  "--resume": "optional",
  "--list": "none",
  "--dry-run": "none",
  "--quiet": "none",
  "--debug": "none",
  "--color": "none",
  "--no-color": "none",
};

/**
 * The part of a script's command line that decides what is measured and shown. Where results went is left out: a run that
 * is repeated must not write over what the first one wrote.
 */
export function experimentArgs(args: readonly string[]): string[] {
  return withoutFlags(args, OUTPUT_FLAGS);
}

/** A command line without some flags and their values. */
export function withoutFlags(args: readonly string[], flags: FlagValues): string[] {
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const [name = arg] = arg.split("=");
    const takes = arg.startsWith("--") ? flags[name] : undefined;
    if (takes === undefined) {
      kept.push(arg);
      continue;
    }
    if (takes === "none" || arg !== name) continue;
    const next = args[i + 1];
    if (takes === "one" || (next !== undefined && /^[^-][^=]*$/.test(next))) i++;
  }
  return kept;
}

/** Flags that name a file or a folder. */
const PATH_FLAGS: readonly string[] = ["--json", "--report", "--store", "--data"];

/** A command line whose paths mean the same in another folder. `-` stands for stdout. */
export function withAbsolutePaths(args: readonly string[], cwd: string): string[] {
  const absolute = (path: string) => path === "-" || path === "" ? path : resolve(cwd, path);
  return args.map((arg, i) => {
    if (PATH_FLAGS.includes(args[i - 1] ?? "")) return absolute(arg);
    const flag = PATH_FLAGS.find((flag) => arg.startsWith(`${flag}=`));
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
