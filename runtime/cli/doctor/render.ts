import { basename } from "node:path";
import { shellWord } from "../../core/shell_word.ts";
import { createPaint } from "../../report/color.ts";
import { formatNumber } from "../../report/format.ts";
import { createPage, type LookOptions, renderSection } from "../../report/page.ts";
import { formatBytes } from "../../report/quantities.ts";
import { type TableSpec, words } from "../../report/spec.ts";
import { wrap } from "../../report/wrap.ts";
import { type Facts, type RouteResult, usualRoute } from "./facts.ts";
import type { Problem } from "./problems.ts";

/** Renders the facts and problems of a machine for a terminal. */
export function renderDoctor(facts: Facts, problems: readonly Problem[], look: LookOptions): string {
  const page = createPage(look);
  const paint = createPaint(look.color);
  const section = <Row>(table: TableSpec<Row>) => {
    const lines = renderSection(page, table);
    return lines.length === 0 ? [] : ["", ...lines];
  };
  const troubles = problems.flatMap(({ severity, message, fix }) => [
    ...wrap(`${severity}: ${message}`, page.width, 2).map((line) =>
      paint(line, severity === "error" ? "bad" : "warning")
    ),
    ...fix === null ? [] : [`  fix: ${fix}`],
  ]);
  const lines = [
    ...wrap(machineLine(facts), page.width),
    ...section(adapterTable(facts)),
    ...section(routeTable(facts)),
    ...section(gpuTable(facts)),
    "",
    ...troubles.length === 0 ? ["No problem found"] : troubles,
  ];
  return `${lines.join("\n")}\n`;
}

function machineLine({ versions, os, cpu, cores, memory, freeMemory, load }: Facts): string {
  const free = freeMemory === null ? "" : `, ${formatBytes(freeMemory)} free`;
  return [
    `Tacho ${versions.tacho}, Deno ${versions.deno}, V8 ${versions.v8}`,
    os,
    ...cpu === null ? [] : [cpu],
    cores === 1 ? "1 core" : `${cores} cores`,
    ...memory === null ? [] : [`${formatBytes(memory)} of memory${free}`],
    ...load === null ? [] : [`load average ${load.toFixed(2)}`],
  ].join("; ");
}

/** The adapter that runs use. */
function adapterTable(facts: Facts): TableSpec<readonly [name: string, value: string | null]> {
  const { adapter = null, clockStepNs = null, lowPower = null, highPerformance = null } = usualRoute(facts).found ?? {};
  return {
    title: "Adapter of a run",
    columns: [words("property", ([name]) => name), words("value", ([, value]) => value)],
    rows: adapter === null ? [] : [
      ["name", adapter.name],
      ["backend", adapter.backend],
      ["driver", adapter.driver],
      ["UUID", adapter.uuid],
      ["PCI address", adapter.pci],
      ["software adapter", adapter.fallback ? "yes" : "no"],
      ["features", adapter.features.join(" ")],
      ["clock step", clockStepNs === null ? null : `${formatNumber(clockStepNs)} ns`],
      ["--adapter low-power", lowPower],
      ["--adapter high-performance", highPerformance],
      ...Object.entries(adapter.limits).map(([name, value]) => [name, String(value)] as const),
    ],
  };
}

function routeTable(facts: Facts): TableSpec<RouteResult> {
  return {
    title: "Ways to an adapter",
    columns: [
      words("driver", ({ manifest, name }) => manifest === null ? name : basename(manifest)),
      words("adapter", ({ found, failure }) => {
        return failure ?? found?.error ?? found?.libraryError ?? found?.adapter?.name ?? "no device";
      }),
      words("version", ({ found }) => found?.adapter?.driver ?? null, { dropFirst: 1 }),
      words("chosen by", (route) => chosenBy(route, facts), { dropFirst: 2 }),
    ],
    rows: facts.routes,
  };
}

/** Returns the flag or variable that makes a run use the adapter of a route. */
function chosenBy({ name, found, manifest, variables }: RouteResult, facts: Facts): string | null {
  const adapter = found?.adapter ?? null;
  if (adapter === null) return null;
  if (name === usualRoute(facts).name) return "nothing";
  if (manifest === null) return Object.entries(variables).map(([key, value]) => `${key}=${value}`).join(" ");
  const alike = facts.routes.filter((other) => other.manifest !== null && other.found?.adapter?.name === adapter.name);
  const match = alike.length < 2 ? adapter.name : adapter.pci ?? adapter.uuid;
  return match === null ? null : `--adapter ${shellWord(match)}`;
}

function gpuTable({ gpus }: Facts): TableSpec<Facts["gpus"][number]> {
  return {
    title: "GPUs on the PCI bus",
    columns: [
      words("address", ({ pci }) => pci),
      words("vendor", ({ vendor }) => vendor),
      words("identifier", ({ id }) => id),
      words("kernel module", ({ module }) => module),
    ],
    rows: gpus,
  };
}
