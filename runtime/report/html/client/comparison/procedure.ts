/// <reference lib="dom" />
import type { Procedure } from "../../../../result/schema.ts";
import { formatCount, formatInterval, formatPercent, formatRatio, MISSING } from "../../../format.ts";
import { comparisonsOf, setupsText } from "../../../setups.ts";
import type { Overview } from "../../embedded.ts";
import { type Child, el } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText, percentText } from "../numbers.ts";
import { type Content, facts, notes } from "../section.ts";
import { seriesChart } from "../chart/series_chart.ts";

/** Returns the section of how the blocks ran and what was observed of the machine. */
export function procedureSection({ procedure, noiseFloor, variants, nodes }: Overview): Content {
  if (procedure === null) return "not recorded in this result";
  const floor = noiseFloor === null
    ? MISSING
    : `${
      formatPercent(noiseFloor)
    } %, the difference between two runs of the baseline beyond the noise of their blocks`;
  return [
    facts([
      ["Rounds", `${procedure.rounds} of ${procedure.planned}, stopped by ${procedure.stoppedBy}`],
      ["Set-ups", setupsText(procedure, comparisonsOf(variants, procedure)) ?? MISSING],
      ["Noise floor", floor],
      ["Baseline against itself", nodes === undefined ? secondArm(procedure) : "on each node, in the table of nodes"],
      ["Smallest effect that counts", `${formatPercent(procedure.minEffect)} %`],
      [
        "Requested precision",
        procedure.precision === null
          ? `${MISSING} a fixed number of rounds`
          : `±${formatPercent(procedure.precision)} %`,
      ],
      ["Time limit", procedure.maxTime === null ? `${MISSING} none` : `${formatCount(procedure.maxTime)} s`],
      ["Warm-up", warmUp(procedure)],
      [
        "Resumed",
        procedure.resumed === 0 ? "never" : procedure.resumed === 1 ? "once" : `${procedure.resumed} times`,
      ],
      [
        "Trend of the probe",
        procedure.probeTrend === null ? `${MISSING} too few measurements` : percentText(procedure.probeTrend),
      ],
    ]),
    warnings(procedure),
    probe(procedure),
    order(procedure),
  ];
}

function secondArm({ secondArm }: Procedure): string {
  if (secondArm === null) return `${MISSING} not run`;
  const speedup = secondArm.comparison?.speedup;
  if (speedup === undefined) return MISSING;
  const { value, low, high } = speedup;
  return formatRatio(value) + (low === null || high === null ? "" : ` (${formatInterval(low, high)})`);
}

function warmUp({ warmUp }: Procedure): string {
  if (warmUp.length === 0) return MISSING;
  const unsteady = warmUp.filter(({ steady }) => !steady).map(({ arm }) => nameText(arm, 40));
  const [least, most] = [Math.min(...warmUp.map(({ steps }) => steps)), Math.max(...warmUp.map(({ steps }) => steps))];
  const range = least === most ? `${least}` : `${least}–${most}`;
  return `${range} steps${unsteady.length === 0 ? ", all settled" : `; not settled: ${unsteady.join(", ")}`}`;
}

function warnings({ warnings }: Procedure): HTMLElement | null {
  if (warnings.length === 0) return null;
  return el("ul", { class: "warnings" }, ...warnings.map(({ message }) => el("li", {}, nameText(message, 600))));
}

function probe({ probe }: Procedure): Child {
  if (probe.length === 0) return el("p", { class: "missing" }, `${MISSING} no probe kernel ran between rounds`);
  return seriesChart({
    label: "Time of the probe kernel by round",
    x: { name: "round", values: probe.map(({ round }) => round), text: String },
    unit: "ms, a fixed kernel between rounds",
    series: [{ name: "probe", values: probe.map(({ time }) => time), color: "--accent", kind: "points" }],
    format: numberText,
    height: 140,
  });
}

function order({ order }: Procedure): Child {
  if (order.length === 0) return null;
  const lines = order.slice(0, 60).map((arms, i) => `${i}: ${arms.map((arm) => nameText(arm, 30)).join(" · ")}`);
  return el("details", { class: "data" }, el("summary", {}, "Order of the rounds"), notes(lines));
}
