import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "../../packages/fast_check.ts";
import type { Overview, VariantDetail } from "../../../runtime/report/html/embedded.ts";
import { unpackRows } from "../../../runtime/report/html/packing.ts";
import { renderHtml } from "../../../runtime/report/html/report.ts";
import { syntheticTimeline } from "../../support/synthetic_timeline.ts";
import { hostileText } from "../hostile.ts";
import { result, variant } from "../result_fixture.ts";
import { fullResult, timelines } from "./full_result.ts";

/** Returns the contents of the data blocks by id. */
function dataOf(html: string): Map<string, unknown> {
  const blocks = html.matchAll(/<script type="application\/json" id="([\w-]+)">([^<]*)<\/script>/g);
  return new Map([...blocks].map(([, id, json]) => [id!, JSON.parse(json!)]));
}

Deno.test("the page contains the whole result and the command line", () => {
  const full = fullResult();
  const data = dataOf(renderHtml(full));
  const { variants, command, foot: _, ...rest } = data.get("overview") as Overview;
  const joined = variants.map(({ memoryOverStep, ...overview }, i) => {
    const { blocks, ops, profile, ...detail } = data.get(`detail-${i}`) as VariantDetail;
    const memory = profile && { ...profile, memory: unpackRows(profile.memory) };
    deepStrictEqual(memoryOverStep.length > 0, (profile?.memory.count ?? 0) > 0);
    return {
      ...overview,
      ...detail,
      ops: unpackRows(ops),
      profile: memory,
      blocks: blocks.map((block) => ({ ...block, steps: unpackRows(block.steps) })),
    };
  });
  deepStrictEqual({ ...rest, variants: joined }, full);
  strictEqual(command, "deno run -A scripts/resnet.ts --seed 1 --steps 10 --skip 3 --rounds 3");
  const given = dataOf(renderHtml(full, { command: "deno run -A a.ts sink=0,10" })).get("overview") as Overview;
  strictEqual(given.command, "deno run -A a.ts sink=0,10");
});

Deno.test("the content security policy allows only the page's script and style, by hash", () => {
  const html = renderHtml(fullResult(), { timelines: timelines() });
  const policy = html.match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)![1]!;
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const script = html.match(/<script>([\s\S]*?)<\/script>/)![1]!;
  const style = html.match(/<style>([\s\S]*?)<\/style>/)![1]!;
  deepStrictEqual(policy.split("; "), [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  strictEqual(html.match(/<script\b/g)!.length, html.match(/<\/script>/g)!.length);
  deepStrictEqual(html.match(/\b(?:src|href)=/g), null);
});

Deno.test("hostile names stay within their data block", () => {
  fc.assert(
    fc.property(hostileText(), (name) => {
      const html = renderHtml(result([variant(name, { config: { [name]: name } })]));
      const data = dataOf(html);
      strictEqual((data.get("overview") as Overview).variants[0]!.name, name);
      strictEqual(html.match(/<script\b/gi)!.length, 3);
      strictEqual(html.match(/<!--/g), null);
      ok(html.isWellFormed());
    }),
    { numRuns: 60 },
  );
});

Deno.test("a hostile title is escaped", () => {
  const made = result([variant("a")]);
  const html = renderHtml({
    ...made,
    scenario: { ...made.scenario, name: "</title><script>alert(1)</script>\n\u202e" },
  });
  strictEqual(html.match(/<title>(.*)<\/title>/)![1], "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;   – Tacho");
});

Deno.test("long timelines are cut to their first steps to keep the page under 3 MB", () => {
  const long = syntheticTimeline({ steps: 150, ops: 300, workers: 4 });
  const html = renderHtml(fullResult(), { timelines: [long, { ...long, variant: "workers" }] });
  ok(html.length < 3_000_000, String(html.length));
  ok(html.length > 2_000_000, String(html.length));
  const { steps, recorded } = dataOf(html).get("timeline-0") as { steps: number; recorded: number };
  strictEqual(recorded, 150);
  ok(steps > 5 && steps < 150, String(steps));
});
