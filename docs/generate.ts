/**
 * Generates `docs/reference.md` from the schemas, flags, metrics and tables that the code uses, and `bench/RESULTS.md` from
 * the files in `bench/results/`:
 *
 *     deno task docs
 *
 * Tests compare the pages with what this module generates.
 *
 * @module
 */
import { join } from "node:path";
import { readMachines } from "../bench/record/line.ts";
import { resultsPage } from "../bench/record/page.ts";
import { GATE_METRIC_LIST } from "../runtime/analysis/gates/gate_metrics.ts";
import { ENVIRONMENT_VARIABLES } from "../runtime/core/environment_variables.ts";
import { EXIT_STATUS_MEANINGS } from "../runtime/core/errors.ts";
import { flagDocuments } from "../runtime/cli/flags.ts";
import { documentSchema, type KeyDocument } from "../runtime/scenario/document.ts";
import { formatValue } from "../runtime/scenario/override.ts";

const ROOT = join(import.meta.dirname!, "..");

/** Paths of the generated pages. */
export const REFERENCE = join(ROOT, "docs", "reference.md");
export const RESULTS_PAGE = join(ROOT, "bench", "RESULTS.md");

/** Generates the reference as Markdown, formatted by `deno fmt`. */
export async function generateReference(): Promise<string> {
  const sections = [
    "# Reference",
    "Generated from the code by `deno task docs`.",
    ...settings(),
    ...flags(),
    ...await commands(),
    ...metrics(),
    ...variables(),
    ...statuses(),
  ];
  return await format(`${sections.join("\n\n")}\n`);
}

/** Generates the page of results as Markdown, formatted by `deno fmt`. */
export async function generateResults(): Promise<string> {
  return await format(resultsPage(readMachines()));
}

function settings(): string[] {
  const { common, kinds } = documentSchema();
  const columns = ["key", "type", "default", "meaning"];
  return [
    "## Settings",
    "Keys as the command line takes them: `loader.numWorkers=2` for every variant, `loader.numWorkers=0,2` for a sweep. In " +
    "a scenario they are nested records.",
    table(columns, common.map(setting)),
    ...kinds.flatMap(({ path, title, members }) => [
      `### ${title}`,
      ...members.flatMap(({ kind, keys }) => [
        `#### \`${kind}\``,
        keys.length === 0 ? `\`${path}\` has no other settings.` : table(columns, keys.map(setting)),
      ]),
    ]),
  ];
}

function setting({ path, type, default: fallback, description }: KeyDocument): string[] {
  return [code(path), code(type), fallback === undefined ? "required" : code(formatValue(fallback)), description];
}

function flags(): string[] {
  return [
    "## Flags of a script",
    "`deno run -A SCRIPT [flags] [key=value...]`",
    table(["flag", "meaning"], flagDocuments().map(({ flags, description }) => [code(flags), description])),
  ];
}

async function commands(): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", join(ROOT, "docs", "help_texts.ts")],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const texts = new TextDecoder().decode(stdout).split(/^=== /m).slice(1);
  return [
    "## The `tacho` command",
    ...texts.flatMap((text) => {
      const [name, ...lines] = text.split("\n");
      const heading = name === "tacho" ? [] : [`### \`tacho ${name}\``];
      return [...heading, `\`\`\`text\n${lines.join("\n").trimEnd()}\n\`\`\``];
    }),
  ];
}

function metrics(): string[] {
  const rows = GATE_METRIC_LIST.map(({ name, quantity, words }) => [
    code(name),
    words.length > 0 ? words.map(code).join(", ") : QUANTITIES[quantity],
  ]);
  return [
    "## Metrics",
    "Metrics of each variant, as gates, `tacho history` and `--json` name them.",
    table(["metric", "values in a gate"], rows),
  ];
}

const QUANTITIES = {
  time: "time: `200ms`, `0.2s`, `500us`; ms without a unit",
  rate: "throughput: `140`, `140images/s`",
  ratio: "ratio: `1.1`, `110%`",
  bytes: "size: `300MiB`, `2GiB`, `1MB`; bytes without a unit",
  number: "number",
  word: "a word",
  hash: "a hash, relative to a kept run: `==@baseline`",
} as const;

function variables(): string[] {
  const rows = ENVIRONMENT_VARIABLES.map(({ name, description }) => [code(name), description]);
  return ["## Environment variables", table(["variable", "meaning"], rows)];
}

function statuses(): string[] {
  const rows = EXIT_STATUS_MEANINGS.map(({ status, meaning }) => [String(status), meaning]);
  return ["## Exit status", table(["status", "meaning"], rows)];
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

async function format(markdown: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "-"],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(markdown));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

if (import.meta.main) {
  await Deno.writeTextFile(REFERENCE, await generateReference());
  await Deno.writeTextFile(RESULTS_PAGE, await generateResults());
}
