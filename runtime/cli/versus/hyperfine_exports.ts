import { printableJson } from "../../core/printable.ts";
import { median } from "../../core/statistics.ts";
import type { VariantResult } from "../../result/schema.ts";

/** Times of a command as hyperfine writes them. Times are in seconds. */
export interface HyperfineResult {
  readonly command: string;
  readonly mean: number;
  /** Null for a single run. */
  readonly stddev: number | null;
  readonly median: number;
  /** Null where the system does not tell, as hyperfine never writes. */
  readonly user: number | null;
  readonly system: number | null;
  readonly min: number;
  readonly max: number;
  readonly times: readonly number[];
  readonly exit_codes: readonly number[];
  /** Missing without parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Returns the whole runs of commands in the schema of `hyperfine --export-json`.
 *
 * @param titles name or command line of each variant
 */
export function hyperfineResults(
  variants: readonly Pick<VariantResult, "name" | "axes" | "blocks">[],
  titles: ReadonlyMap<string, string>,
): HyperfineResult[] {
  return variants.flatMap(({ name, axes, blocks }) => {
    const runs = blocks.flatMap(({ runs = [] }) => runs);
    const times = runs.map(({ wall }) => wall / 1000);
    if (times.length === 0) return [];
    const mean = meanOf(times)!;
    const parameters = Object.entries(axes).map(([name, value]) => [name, String(value)]);
    return [{
      command: titles.get(name) ?? name,
      mean,
      stddev: times.length < 2
        ? null
        : Math.sqrt(times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1)),
      median: median(times),
      user: seconds(runs.map(({ user }) => user)),
      system: seconds(runs.map(({ system }) => system)),
      min: Math.min(...times),
      max: Math.max(...times),
      times,
      exit_codes: runs.map(({ status }) => status),
      ...parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) },
    }];
  });
}

/** Returns the text of `--export-json`. */
export function hyperfineJson(results: readonly HyperfineResult[]): string {
  return `${printableJson({ results })}\n`;
}

/** Returns the text of `--export-csv`. */
export function hyperfineCsv(results: readonly HyperfineResult[]): string {
  const parameters = [...new Set(results.flatMap(({ parameters = {} }) => Object.keys(parameters)))];
  const head = ["command", ...FIGURES, ...parameters.map((name) => `parameter_${name}`)];
  const rows = results.map((result) => [
    result.command,
    ...FIGURES.map((figure) => result[figure] ?? ""),
    ...parameters.map((name) => result.parameters?.[name] ?? ""),
  ]);
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/** Returns the text of `--export-markdown`. */
export function hyperfineMarkdown(results: readonly HyperfineResult[]): string {
  const [unit, factor, places] = (results[0]?.mean ?? 0) < 1 ? ["ms", 1000, 1] as const : ["s", 1, 3] as const;
  const figure = (value: number) => (factor * value).toFixed(places);
  const fastest = results.reduce((best, result) => result.mean < best.mean ? result : best, results[0]!);
  const rows = results.map((result) => {
    const { command, mean, stddev, min, max } = result;
    const time = stddev === null ? figure(mean) : `${figure(mean)} ± ${figure(stddev)}`;
    const words = [`\`${command.replaceAll("|", "\\|")}\``, time, figure(min), figure(max), relative(result, fastest)];
    return `| ${words.join(" | ")} |\n`;
  });
  return `| Command | Mean [${unit}] | Min [${unit}] | Max [${unit}] | Relative |\n|:---|---:|---:|---:|---:|\n` +
    rows.join("");
}

const FIGURES = ["mean", "stddev", "median", "user", "system", "min", "max"] as const;

/** Returns the ratio of two means, with the deviation that follows from theirs. */
function relative(result: HyperfineResult, fastest: HyperfineResult): string {
  const ratio = result.mean / fastest.mean;
  if (result === fastest || result.stddev === null || fastest.stddev === null) return ratio.toFixed(2);
  const deviation = ratio * Math.hypot(result.stddev / result.mean, fastest.stddev / fastest.mean);
  return `${ratio.toFixed(2)} ± ${deviation.toFixed(2)}`;
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function seconds(times: readonly (number | null)[]): number | null {
  const mean = meanOf(times);
  return mean === null ? null : mean / 1000;
}

/** Returns the mean; null if a value is unknown, or there is none. */
function meanOf(values: readonly (number | null)[]): number | null {
  if (values.length === 0 || values.includes(null)) return null;
  return values.reduce<number>((sum, value) => sum + value!, 0) / values.length;
}
