import { dateText } from "../../library/kept/date_text.ts";
import type { Tone } from "../../report/color.ts";
import { createPage, type LookOptions, renderSection } from "../../report/page.ts";
import { type Column, figures, words } from "../../report/spec.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { readSweeps, type ShardStatus, type SweepStatus } from "../../shards/submit/sweep_status.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

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

export const define = () =>
  createPlainCommand({
    name: "status",
    description:
      "Shows how far the shards of a sweep are. Reads the shard files, so that it needs no scheduler and works while the " +
      "shards run.",
    examples: [
      ["tacho status mlp", "show the sweep that tacho submit mlp.ts started here"],
      ["tacho status results", "show the sweeps whose shard files are in a folder"],
      ["tacho status mlp --json", "print JSON for other programs"],
    ],
  })
    .argument("<name>", "name of a submitted sweep, or folder of shard files")
    .option("--json", "print JSON");

/** Shows the state of the shards of a sweep. */
export const run = runOf(define, async ({ json = false, color }, [name]) => {
  const sweeps = readSweeps(name);
  if (json) {
    await writeJson(STDOUT, sweeps);
  } else {
    writeOut(sweeps.map((sweep) => renderStatus(sweep, lookOfStdout(color))).join("\n"));
  }
});

/** Renders the state of a sweep's shards, and below it their problems. */
function renderStatus({ scenario, folder, shards }: SweepStatus, look: LookOptions): string {
  const complete = shards.filter(({ status }) => status === "complete").length;
  const title = `${scenario} in ${folder}: ${complete} of ${shards.length} shards complete`;
  const notes = shards.flatMap(({ shard, problem }) => problem === null ? [] : [`shard ${shard}: ${problem}`]);
  return `${renderSection(createPage(look), { title, columns: COLUMNS, rows: shards, notes }).join("\n")}\n`;
}
