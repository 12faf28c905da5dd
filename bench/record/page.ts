/**
 * Generates `bench/RESULTS.md` from the files in `bench/results/`.
 *
 * @module
 */
import { type Line, type MachineFile, UNITS } from "./line.ts";
import { type Section, SECTIONS } from "./sections.ts";

/** Largest number of lines of the page. */
export const MAX_LINES = 500;

type Row = Line & { readonly machine: string };

/** Generates the page as Markdown, not yet formatted. */
export function resultsPage(files: readonly MachineFile[]): string {
  const rows = files.flatMap(({ machine, lines }) => lines.map((line) => ({ ...line, machine })));
  return [
    "# Results",
    "Figures come from the CPUs and adapters of the first table; every other table names the machine. The page is made by " +
    "`deno task docs` from `bench/results/`, one file of JSON lines for each machine with the commit, command and load of " +
    "every result. lavapipe (llvmpipe) is Mesa's software adapter, which runs kernels on the CPU.",
    machinesTable(files),
    "`deno task bench:machine` measures a machine in about ten minutes and writes its file. To send the results of a GPU, " +
    "run it, then `deno task docs`, commit the file and this page, and open a pull request.",
    ...SECTIONS.flatMap((section) =>
      sectionOf(section, rows.filter(({ benchmark }) => benchmark === section.benchmark))
    ),
  ].join("\n\n") + "\n";
}

function machinesTable(files: readonly MachineFile[]): string {
  const gpus = files.filter(({ lines }) => lines.some(({ software }) => software === false));
  const rows = files.map(({ machine, lines }) => {
    const { adapter, driver, cpu, cores } = lines[0]!;
    const dates = lines.map(({ date }) => date).sort();
    const [first, last] = [dates[0]!, dates.at(-1)!];
    return [machine, adapter ?? "–", driver ?? "–", cpu, cores === null ? "–" : `${cores}`, ...span(first, last)];
  });
  const empty = ["–", "no GPU has been measured yet", "–", "–", "–", "–"];
  return table(["machine", "adapter", "driver", "CPU", "cores", "measured"], [
    ...rows,
    ...gpus.length > 0 ? [] : [empty],
  ]);
}

function span(first: string, last: string): string[] {
  return [first === last ? first : `${first} to ${last}`];
}

function sectionOf({ title, text, ...section }: Section, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const tables = "pivot" in section ? [pivoted(section.pivot, rows)] : section.tables.flatMap(({ cases, columns }) => {
    const own = rows.filter(({ case: name }) => cases.test(name));
    return own.length === 0 ? [] : [plain(columns, own)];
  });
  return [`## ${title}`, text, ...tables, commandsOf(rows)];
}

/** Returns a row for each result. */
function plain(columns: readonly string[], rows: readonly Row[]): string {
  const present = columns.filter((name) => rows.some(({ figures }) => figures[name] !== undefined));
  const machines = new Set(rows.map(({ machine }) => machine)).size > 1 ? "machine" : `${rows[0]!.machine}`;
  return table(
    [machines, ...present.map(headOf)],
    rows.map(({ machine, case: name, figures }) => [
      machines === "machine" ? `${name}, ${machine}` : name,
      ...present.map((figure) => show(figures[figure])),
    ]),
  );
}

/** Returns a row for each case in f32 and f16, and a column for each machine. */
function pivoted(
  { software, gpu, share }: { software: string; gpu: string; share: string },
  rows: readonly Row[],
): string {
  const machines = [...new Set(rows.map(({ machine }) => machine))];
  const cases = [...new Set(rows.map(({ case: name }) => name.replace(/ f(?:32|16)$/, "")))];
  const cell = (machine: string, name: string) => {
    const row = rows.find((row) => row.machine === machine && row.case === name);
    if (row === undefined) return ["–", "–"];
    return [show(row.figures[row.software === true ? software : gpu]), show(row.figures[share])];
  };
  const head = machines.flatMap((machine) =>
    ["f32, ms", "%", "f16, ms", "%"].map((unit, i) => i === 0 ? `${machine}: ${unit}` : unit)
  );
  return table(
    ["kernel", ...head],
    cases.map((name) => [
      name,
      ...machines.flatMap((machine) => [...cell(machine, `${name} f32`), ...cell(machine, `${name} f16`)]),
    ]),
  );
}

/** Lists the commands of a section with their dates, commits and loads. */
function commandsOf(rows: readonly Row[]): string {
  const grouped = Map.groupBy(
    rows,
    ({ machine, command, date, commit }) => JSON.stringify([machine, command, date, commit]),
  );
  return [...grouped.values()].map((all) => {
    const { machine, command, date, commit } = all[0]!;
    const loads = all.map(({ load }) => load).filter((load) => load !== null);
    const load = loads.length === 0 ? "" : `, load ${range(loads)}`;
    return `- \`${command}\`, ${machine}, ${date}, commit ${commit === null ? "unknown" : shortened(commit)}${load}`;
  }).join("\n");
}

function shortened(commit: string): string {
  return commit.replace(/^([0-9a-f]{8})[0-9a-f]*/, "$1");
}

function range(values: readonly number[]): string {
  const [low, high] = [Math.min(...values).toFixed(1), Math.max(...values).toFixed(1)];
  return low === high ? low : `${low} to ${high}`;
}

/** Returns the heading of a figure: its words and its unit. */
function headOf(name: string): string {
  const [end, unit] = Object.entries(UNITS).find(([end]) => name.endsWith(end))!;
  const words = name.slice(0, -end.length).replaceAll("_", " ");
  return unit === "" ? words : `${words}, ${unit}`;
}

/** Rounds to three digits; whole numbers stay whole. */
function show(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) < 1e-3 ? value.toExponential(1) : Number(value.toPrecision(3)).toString();
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map((_, i) => i === 0 ? "---" : "---:")), ...rows.map(line)].join("\n");
}
