/// <reference lib="dom" />
import { hostShare } from "../../../../analysis/host_share.ts";
import { randomOps } from "../../../../analysis/random_ops.ts";
import type { CpuUse, HostWork, RangeRecord } from "../../../../result/schema.ts";
import { formatCount, formatMiB, MISSING } from "../../../format.ts";
import { notProfiled, type VariantContext } from "../context.ts";
import { el } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText, percentText } from "../numbers.ts";
import { facts, notes, type Section } from "../section.ts";
import { createTable, type TableColumn } from "../table.ts";

/** What the host did in the measured steps, and what it copied. */
export function hostSection({ variant }: VariantContext): Section {
  const base = { anchor: "host", title: "Host work" };
  const { profile, blocks, counts } = variant;
  if (profile === null) return { ...base, content: notProfiled(variant) ?? "" };
  if (profile.host.length === 0) return { ...base, content: "the host's work was not followed" };
  const steps = blocks.reduce((sum, block) => sum + block.steps.length, 0);
  const { hostToDevice, deviceToHost } = profile.transfers;
  const time = (title: string, key: "total" | "mean" | "min" | "max"): TableColumn<HostWork> => ({
    title,
    unit: "ms",
    value: (work) => work[key],
    show: (work) => numberText(work[key]),
  });
  const table = createTable<HostWork>({
    caption: "Host work in the measured steps",
    columns: [
      { title: "work", align: "left", value: ({ name }) => name, show: ({ name }) => nameText(name, 60) },
      { title: "calls", value: ({ calls }) => calls },
      time("total", "total"),
      time("mean", "mean"),
      time("min", "min"),
      time("max", "max"),
      {
        title: "a step",
        unit: "ms",
        value: ({ total }) => steps === 0 ? null : total / steps,
        show: ({ total }) => steps === 0 ? null : numberText(total / steps),
      },
      {
        title: "share",
        value: (work) => hostShare(work, variant),
        show: (work) => percentText(hostShare(work, variant)),
        help: "Of the wall time of the blocks; work in workers runs beside it, losses are read behind it",
      },
    ],
    rows: profile.host,
  });
  const copies = (count: number, bytes: number) => `${formatMiB(bytes)} MiB in ${formatCount(count)}`;
  return {
    ...base,
    about: `${steps} measured steps, on the host's clock`,
    content: [
      table.element,
      facts([
        ["Copied to the device", copies(hostToDevice.count, hostToDevice.bytes)],
        ["Read back", copies(deviceToHost.count, deviceToHost.bytes)],
        [
          "Submits, waits, readbacks",
          counts === null ? MISSING : `${counts.submits}, ${counts.waits}, ${counts.readbacks}`,
        ],
      ]),
      notes([...afterBlocks(profile.host), generated(variant)]),
    ],
  };
}

/** Shares are of the blocks' wall time, which ends before their losses are read. */
function afterBlocks(host: readonly HostWork[]): string[] {
  const read = host.some(({ name }) => name === "monitor loss");
  return read ? ["share: of the wall time of the blocks; losses read at the end of a block are not in it"] : [];
}

/** Layers that draw random signals do so in their own kernels: there is no host work for it. */
function generated({ ops }: VariantContext["variant"]): string {
  const random = randomOps(ops).map(({ name }) => nameText(name, 40));
  return random.length === 0
    ? `generate data ${MISSING}: no layer draws random signals`
    : `generate data: on the device, inside of ${random.slice(0, 3).join(", ")}`;
}

/** What cores and threads did while steps were profiled. */
export function cpuSection({ variant }: VariantContext): Section {
  const base = { anchor: "cpu", title: "CPU use" };
  const { profile } = variant;
  if (profile === null || profile.steps === 0) {
    return { ...base, content: notProfiled(variant) ?? "it is taken over profiled steps, and there were none" };
  }
  if (profile.cpu.length === 0) return { ...base, content: "this operating system does not tell" };
  const table = createTable<CpuUse>({
    caption: "CPU use of cores and threads",
    columns: [
      { title: "core or thread", align: "left", value: ({ name }) => name, show: ({ name }) => nameText(name, 60) },
      { title: "kind", align: "left", value: ({ kind }) => kind },
      {
        title: "running",
        value: ({ running }) => running,
        show: ({ running }) => {
          const text = el("span", { class: "share" }, percentText(running));
          text.style.setProperty("--share", String(Math.max(0, Math.min(1, running))));
          return text;
        },
      },
      {
        title: "waiting",
        value: ({ waiting }) => waiting,
        show: ({ waiting }) => percentText(waiting),
        help: "Ready to run, but no core was free",
      },
    ],
    rows: profile.cpu,
  });
  return { ...base, about: "Part of the time of the profiled steps", content: [table.element] };
}

/** The user's ranges, each under the one it lies in. */
export function rangesSection({ variant }: VariantContext): Section {
  const base = { anchor: "ranges", title: "Ranges" };
  const ranges = variant.profile?.ranges ?? [];
  if (ranges.length === 0) return { ...base, content: notProfiled(variant) ?? "the script names no range" };
  const table = createTable<RangeRecord>({
    caption: "Ranges",
    columns: [
      { title: "range", align: "left", value: ({ path }) => path, show: indented },
      { title: "on", align: "left", value: ({ track }) => track },
      { title: "calls", value: ({ calls }) => calls },
      { title: "total", unit: "ms", value: ({ total }) => total, show: ({ total }) => numberText(total) },
      { title: "mean", unit: "ms", value: ({ mean }) => mean, show: ({ mean }) => numberText(mean) },
    ],
    rows: ranges,
  });
  return { ...base, content: [table.element] };
}

function indented({ path }: RangeRecord): HTMLElement {
  const parts = path.split("/");
  const text = el("span", { title: nameText(path, 400) }, nameText(parts.at(-1)!, 60));
  text.style.paddingLeft = `${Math.min(parts.length - 1, 8)}em`;
  return text;
}
