/// <reference lib="dom" />
import type { CpuUse, RangeRecord } from "../../../../result/schema.ts";
import { MISSING } from "../../../format.ts";
import { cpuTable, hostTable, noCpu, rangesTable } from "../../../profile/host.ts";
import { notProfiled, type VariantContext } from "../context.ts";
import { el, shareBar } from "../dom.ts";
import { nameText } from "../names.ts";
import { type Content, facts, notes, tableContent } from "../section.ts";
import { createTable } from "../table.ts";

/** Returns the section of the host's work in the measured steps. */
export function hostSection({ variant }: VariantContext): Content {
  const { profile, counts } = variant;
  if (profile === null) return notProfiled(variant) ?? "";
  if (profile.host.length === 0) return "the host's work was not recorded";
  const host = hostTable(variant);
  return {
    about: host.title,
    content: [
      createTable(host).element,
      facts([[
        "Submits, waits, readbacks",
        counts === null ? MISSING : `${counts.submits}, ${counts.waits}, ${counts.readbacks}`,
      ]]),
      notes(host.notes ?? []),
    ],
  };
}

/** Returns the section of the use of cores and threads. */
export function cpuSection({ variant }: VariantContext): Content {
  const { profile } = variant;
  const missing = profile === null ? notProfiled(variant) : noCpu(profile);
  if (missing !== null) return missing;
  const spec = cpuTable(variant);
  const cells = { running: ({ running }: CpuUse, text: string) => shareBar(running, text) };
  return { about: spec.title, content: tableContent(spec, { cells }) };
}

/** Returns the section of the user's ranges, nested. */
export function rangesSection({ variant }: VariantContext): Content {
  const spec = rangesTable(variant);
  if (spec.rows.length === 0) return notProfiled(variant) ?? "the script marks no ranges";
  const cells = { range: ({ path }: RangeRecord, text: string) => el("span", { title: nameText(path, 400) }, text) };
  return tableContent(spec, { cells });
}
