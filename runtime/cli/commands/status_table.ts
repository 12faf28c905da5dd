import { dateText } from "../../library/kept/date_text.ts";
import type { Tone } from "../../report/color.ts";
import { createPage, type LookOptions, renderSection } from "../../report/page.ts";
import { type Column, figures, words } from "../../report/spec.ts";
import type { ShardStatus, SweepStatus } from "../submit/sweep_status.ts";

const TONES: Readonly<Record<ShardStatus["status"], Tone | null>> = {
  "complete": null,
  "failed": "bad",
  "unreadable": "bad",
  "unfinished": "device",
  "not started": "warning",
};

const COLUMNS: readonly Column<ShardStatus>[] = [
  figures("shard", ({ shard }) => shard, { format: String }),
  words("status", ({ status }) => status, { tone: ({ status }) => TONES[status] }),
  words("rounds", ({ rounds, of }) => rounds === null ? null : `${rounds} of ${of}`, { align: "right" }),
  words("node", ({ node }) => node),
  words("adapter", ({ adapter }) => adapter, { dropFirst: 1 }),
  figures("restarts", ({ resumed }) => resumed, { dropFirst: 2, format: String }),
  words("last write", ({ changed }) => changed === null ? null : dateText(changed), { dropFirst: 3 }),
];

/** Renders the state of a sweep's shards, and below it their problems. */
export function renderStatus({ scenario, folder, shards }: SweepStatus, look: LookOptions): string {
  const complete = shards.filter(({ status }) => status === "complete").length;
  const title = `${scenario} in ${folder}: ${complete} of ${shards.length} shards complete`;
  const notes = shards.flatMap(({ shard, problem }) => problem === null ? [] : [`shard ${shard}: ${problem}`]);
  return `${renderSection(createPage(look), { title, columns: COLUMNS, rows: shards, notes }).join("\n")}\n`;
}
