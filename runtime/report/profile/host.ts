import { hostShare } from "../../analysis/host_share.ts";
import { randomOps } from "../../analysis/random_ops.ts";
import type { HostWork, Profile, VariantResult } from "../../result/schema.ts";
import { formatMiB, formatNumber, formatPercent, MISSING } from "../format.ts";
import { type DataColumn, nameWidth, type Page, quiet, renderSection } from "../page.ts";
import { nameText } from "../plain_text.ts";
import { trustLines } from "./trust.ts";

/** What the host did in the measured steps, and what it copied. */
export function renderHost(page: Page, variant: VariantResult): string[][] {
  const { profile } = variant;
  return profile === null ? [] : [work(page, variant, profile), transfers(page, variant, profile)];
}

function work(page: Page, variant: VariantResult, { host }: Profile): string[] {
  const { blocks } = variant;
  const steps = blocks.reduce((sum, block) => sum + block.steps.length, 0);
  const width = nameWidth(page, 62);
  const time = (name: "total" | "mean" | "min" | "max", dropFirst: number): DataColumn<HostWork | DeviceWork> => ({
    name,
    heading: [name],
    align: "right",
    dropFirst,
    cell: (row) => "ofStep" in row ? null : formatNumber(row[name]),
  });
  return renderSection(page, {
    title: `Host: ms in ${steps} measured steps, on the host's clock`,
    columns: [
      { name: "work", heading: ["work"], align: "left", cell: ({ name }) => nameText(name, width) },
      {
        name: "calls",
        heading: ["calls"],
        align: "right",
        dropFirst: 3,
        cell: (row) => "ofStep" in row ? null : String(row.calls),
      },
      time("total", 4),
      time("mean", 5),
      time("min", 1),
      time("max", 2),
      {
        name: "time of a step",
        heading: ["a step"],
        align: "right",
        cell: (row) => {
          const ofStep = "ofStep" in row ? row.ofStep : steps === 0 ? null : row.total / steps;
          return ofStep === null ? null : formatNumber(ofStep);
        },
      },
      {
        name: "share",
        heading: ["share %"],
        align: "right",
        cell: (row) => {
          const share = "ofStep" in row ? null : hostShare(row, variant);
          return share === null ? null : formatPercent(share);
        },
      },
    ],
    rows: [...host, ...generatedRow(variant)],
    notes: [
      "share: of the wall time of the blocks; work in workers runs beside it" +
      (host.some((work) => work.name === "monitor loss" && hostShare(work, variant) === null)
        ? "; losses read behind it are not in it"
        : ""),
      generated(variant),
      ...trustLines(variant, "host"),
    ],
  });
}

/** A row of the table that is no work of the host's. */
interface DeviceWork {
  readonly name: string;
  /** ms of a profiled step; null where it was not measured. */
  readonly ofStep: number | null;
}

/** Layers that draw random signals do so in their own kernels: there is no host work for it. */
function generatedRow({ ops }: VariantResult): DeviceWork[] {
  const random = randomOps(ops);
  if (random.length === 0) return [];
  const ofStep = random.reduce<number | null>((sum, op) => sum === null || op.mean === null ? null : sum + op.mean, 0);
  return [{ name: "generate data (device)", ofStep }];
}

function generated({ ops }: VariantResult): string {
  const random = randomOps(ops);
  if (random.length === 0) return `generate data: ${MISSING}, no layer draws random signals`;
  const names = random.slice(0, 3).map((op) => nameText(op.name, 40)).join(", ");
  const more = random.length > 3 ? ` and ${random.length - 3} more` : "";
  return `generate data: on the device's clock, in profiled steps: all that ${names}${more} ` +
    `${random.length === 1 ? "does" : "do"}`;
}

interface Copies {
  readonly direction: string;
  readonly count: number;
  readonly bytes: number;
  /** The host's work that does them. */
  readonly by: HostWork | undefined;
}

function transfers(page: Page, variant: VariantResult, { host, transfers }: Profile): string[] {
  const rows: Copies[] = [
    {
      direction: "host to device",
      ...transfers.hostToDevice,
      by: host.find(({ name }) => name === "let data"),
    },
    {
      direction: "device to host",
      ...transfers.deviceToHost,
      by: host.find(({ name }) => name === "monitor loss"),
    },
  ];
  return renderSection(page, {
    title: "Copies in the measured steps",
    columns: [
      { name: "copies", heading: ["copies"], align: "left", cell: ({ direction }) => direction },
      { name: "count", heading: ["count"], align: "right", cell: ({ count }) => String(count) },
      { name: "size", heading: ["MiB"], align: "right", cell: ({ bytes }) => formatMiB(bytes) },
      {
        name: "host time",
        heading: ["host ms"],
        align: "right",
        cell: ({ by }) => by === undefined ? null : formatNumber(by.total),
      },
      {
        name: "rate",
        heading: ["GB/s"],
        align: "right",
        cell: ({ by, bytes }) =>
          by === undefined || by.total <= 0 || bytes === 0 ? null : formatNumber(bytes / by.total / 1e6),
      },
      { name: "measured as", heading: ["measured as"], align: "left", cell: ({ by }) => by?.name ?? null },
    ],
    rows,
    notes: [
      "times are the host's: copies by writeBuffer have no device time; reading back includes waiting for the device",
      ...trustLines(variant, "host"),
    ],
  });
}

/** What cores and threads did while steps were profiled. */
export function renderCpu(page: Page, variant: VariantResult): string[] {
  const { profile } = variant;
  if (profile === null) return [];
  if (profile.steps === 0) return quiet(page, "CPU use: –, it is taken over profiled steps, and there were none");
  if (profile.cpu.length === 0) return quiet(page, "CPU use: –, this operating system does not tell");
  const width = nameWidth(page, 40);
  const percent = (ratio: number | null) => ratio === null ? null : formatPercent(ratio);
  const cores = profile.cpu.some(({ kind }) => kind === "core");
  return renderSection(page, {
    title: `CPU: per cent of the time, while ${profile.steps} step${profile.steps === 1 ? " was" : "s were"} profiled`,
    columns: [
      { name: "core or thread", heading: ["core, thread"], align: "left", cell: ({ name }) => nameText(name, width) },
      { name: "running", heading: ["running"], align: "right", cell: ({ running }) => percent(running) },
      { name: "waiting", heading: ["waiting"], align: "right", cell: ({ waiting }) => percent(waiting) },
    ],
    rows: profile.cpu,
    notes: [
      "waiting: ready to run, but no core was free",
      ...cores ? [] : [`cores: ${MISSING}, these steps were too short for the ticks that cores are counted in`],
      ...trustLines(variant, "host"),
    ],
  });
}

/** The user's ranges, each under the one it lies in. */
export function renderRanges(page: Page, variant: VariantResult): string[] {
  const width = nameWidth(page, 48);
  const depth = (path: string) => path.split("/").length - 1;
  return renderSection(page, {
    title: "Ranges: ms",
    columns: [
      {
        name: "range",
        heading: ["range"],
        align: "left",
        cell: ({ path }) => nameText("  ".repeat(Math.min(depth(path), 8)) + path.split("/").at(-1)!, width),
      },
      { name: "on", heading: ["on"], align: "left", cell: ({ track }) => track },
      { name: "calls", heading: ["calls"], align: "right", cell: ({ calls }) => String(calls) },
      { name: "total", heading: ["total"], align: "right", cell: ({ total }) => formatNumber(total) },
      { name: "mean", heading: ["mean"], align: "right", cell: ({ mean }) => formatNumber(mean) },
    ],
    rows: variant.profile?.ranges ?? [],
    notes: [
      "on the device: the ops that were written in the range, in the profiled steps",
      ...trustLines(variant, "ops"),
    ],
  });
}
