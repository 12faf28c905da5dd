import { InputError } from "../../core/errors.ts";
import { cacheFolder } from "../../data/standin/cache.ts";
import { Device } from "../../device/device.ts";
import { adapterPeaks, type KeptPeaks, keptPeaks, peaksFile } from "../../engine/peak_cache.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { isQuiet, peaksByName } from "../../record/peak_choice.ts";
import type { Peak } from "../../record/peaks.ts";
import { createPage, renderSection } from "../../report/page.ts";
import { peakRate } from "../../report/peaks.ts";
import { figures, names, percentages, type TableSpec, words } from "../../report/spec.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, warn, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

interface Row {
  readonly adapter: KeptPeaks["adapter"];
  readonly name: string;
  readonly peak: Peak;
}

export const define = () =>
  createPlainCommand({
    name: "peaks",
    description:
      "Shows the peak throughput of adapters that rooflines refer to, with the conditions of its measurement. " +
      "Profiled runs measure it once, and again if an op is faster or the machine is less busy than then.",
    examples: [
      ["tacho peaks", "list the kept peaks of all adapters"],
      ["tacho peaks --measure", "measure this machine's adapter again, and keep the better value of each peak"],
      ["tacho peaks --forget llvmpipe", "remove the peaks of adapters with llvmpipe in their name"],
      ["tacho peaks --json", "print JSON for other programs"],
    ],
  })
    .argument("[adapter]", "part of the adapter's name")
    .option("--measure", "measure now; takes a few seconds")
    .option("--forget", "remove the kept peaks, so that the next profiled run measures them")
    .option("--json", "print JSON");

/** Shows, measures or forgets the peaks of adapters. */
export const run = runOf(define, async ({ measure = false, forget = false, json = false, color }, [adapter]) => {
  if (measure && forget) throw new InputError("tacho peaks: expected either --measure or --forget, got both");
  const measured = measure ? await measureNow(adapter) : null;
  const kept = (await keptPeaks()).filter(({ file, adapter: { name } }) =>
    measured === null ? name.toLowerCase().includes((adapter ?? "").toLowerCase()) : file === measured
  );
  if (forget) { for (const { file } of kept) await Deno.remove(file); }
  if (json) {
    await writeJson(STDOUT, kept);
  } else if (kept.length === 0) {
    const which = adapter === undefined ? "" : ` of adapters with "${adapter}" in their name`;
    writeOut(`No peaks${which} are kept in ${cacheFolder()}; tacho peaks --measure measures them\n`);
  } else {
    const title = `${forget ? "Forgotten peaks" : "Peaks"} in ${cacheFolder()}`;
    writeOut(`${renderSection(createPage(lookOfStdout(color)), peaksTable(title, kept)).join("\n")}\n`);
  }
});

/** Measures the adapter, and returns the file of its peaks. */
async function measureNow(match: string | undefined): Promise<string> {
  const device = await Device.open({ match });
  try {
    await adapterPeaks(device, { remeasure: true, onWarning: warn });
    return peaksFile(device);
  } finally {
    device.destroy();
  }
}

/** Returns the table of kept peaks, one row for each peak of each adapter. */
function peaksTable(title: string, kept: readonly KeptPeaks[]): TableSpec<Row> {
  const rows = kept.flatMap(({ adapter, peaks }) =>
    peaksByName(peaks).map(([name, peak]): Row => ({ adapter, name, peak }))
  );
  return {
    title,
    columns: [
      names("adapter", ({ adapter }) => adapter.name),
      words("Deno", ({ adapter }) => adapter.deno, { dropFirst: 2 }),
      words("peak", ({ name }) => name),
      figures("rate", ({ peak }) => peak.value, { format: (_, { peak }) => peakRate(peak) }),
      words("measured", ({ peak }) => dateText(Date.parse(peak.date))),
      percentages("other load", ({ peak }) => peak.load, { heading: ["other", "load %"] }),
      percentages("spread", ({ peak }) => peak.spread, { heading: ["spread", "%"] }),
      words("conditions", ({ peak }) => isQuiet(peak) ? "quiet" : "busy", {
        tone: ({ peak }) => isQuiet(peak) ? null : "warning",
      }),
      words("kernel", ({ peak }) => peak.kernel, { dropFirst: 1 }),
    ],
    rows,
    notes: [
      "other load: CPU time of other processes during the measurement, of all cores",
      "spread: how much slower the median run was than the fastest",
      ...rows.some(({ peak }) => !isQuiet(peak))
        ? ["busy: may be higher on a quiet machine; a profiled run under half of the load measures it again"]
        : [],
    ],
  };
}
