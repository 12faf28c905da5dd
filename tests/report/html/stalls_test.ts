/// <reference lib="dom" />
import assert from "node:assert/strict";
import { layersSection, opsSection, typesSection } from "../../../runtime/report/html/client/variant/ops.ts";
import { phasesSection } from "../../../runtime/report/html/client/variant/phases.ts";
import { rooflineSection } from "../../../runtime/report/html/client/variant/roofline_chart.ts";
import { nodesOf } from "../../../runtime/report/html/client/section.ts";
import { Anchors } from "../../../runtime/report/html/client/route.ts";
import type { Overview } from "../../../runtime/report/html/embedded.ts";
import { peaksOf } from "../../support/peaks.ts";
import { op, profile, profiledResult, split } from "../profile_fixture.ts";
import { standIn, withDocument } from "./dom_stand_in.ts";

Deno.test("every section of the page that shows ops or phases names the stalled op and the stalled gap", () => {
  const gaps = { count: 12, usual: 0.1, longest: { ms: 90, before: "fc2" } };
  const run = profiledResult({
    ops: [op("fc1", "linear", 1, { mean: 36, total: 180, max: 176 }), op("conv", "conv2d", 3)],
    profile: {
      ...profile,
      phases: [split("forward", { interval: 4.2, ops: 4, residual: 0.2, mean: 57, max: 180, gaps })],
    },
  });
  const overview = { ...run, roofline: { peaks: peaksOf(1e11, 1e10), steps: [] } } as unknown as Overview;
  const [variant] = run.variants;
  const context = { overview, variant: variant!, index: 0, anchors: new Anchors(), shared: new Anchors() };
  for (const make of [opsSection, typesSection, layersSection, rooflineSection, phasesSection]) {
    const content = withDocument(() => make(context));
    assert(typeof content !== "string", `${make.name}: ${content}`);
    const text = nodesOf(content).filter((child) => typeof child === "object" && child !== null)
      .map((child) => standIn(child).textContent).join("\n");
    assert.match(
      text,
      /stalled: fc1 176 ms once, median 1\.00 ms; gap of 90\.0 ms before fc2 once, usually at most 0\.10 ms/,
      make.name,
    );
  }
});
