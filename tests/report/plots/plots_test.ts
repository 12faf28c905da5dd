import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { plotsOf, svgFile } from "../../../runtime/report/plots/plots.ts";
import { fullResult } from "../html/full_result.ts";
import { profiledResult } from "../profile_fixture.ts";
import { failed, result, variant } from "../result_fixture.ts";

const plot = (name: string) => plotsOf(fullResult()).find((one) => one.name === name)!;

Deno.test("a result with every part has all plots, and one without measurements has none", () => {
  deepStrictEqual(plotsOf(fullResult()).map(({ name }) => name), [
    "speed",
    "blocks",
    "phases",
    "memory",
    "effects",
    "ladder",
    "layers",
  ]);
  deepStrictEqual(plotsOf(result([failed("baseline", "no", 2)])), []);
  deepStrictEqual(plotsOf(result([])), []);
});

Deno.test("the picture of layers has each layer's forward and backward time, in the order of the model", () => {
  const layers = plotsOf(profiledResult()).find(({ name }) => name === "layers")!;
  const names = layers.shapes.flatMap(({ attributes, text }) => attributes["class"] === "name" ? [text] : []);
  deepStrictEqual(names, ["features.conv1", "features.relu1", "fc", "loss"]);
  const bars = layers.shapes.filter(({ tag, text }) => tag === "rect" && text !== undefined);
  deepStrictEqual(bars.map(({ text }) => text), [
    "forward: 2.00 ms",
    "backward: 3.00 ms",
    "forward: 0.25 ms",
    "forward: 0.50 ms",
    "backward: 0.75 ms",
    "forward: 0.25 ms",
    "backward: 0.25 ms",
  ]);
  const [forward, backward] = bars.map(({ attributes }) => Number(attributes["width"]));
  ok(Math.abs(backward! / forward! - 1.5) < 0.01);
  match(svgFile(layers), /features\.conv1/);
});

Deno.test("every block is a dot, and every variant that ran has a median", () => {
  const { shapes } = plot("blocks");
  strictEqual(shapes.filter(({ tag }) => tag === "circle").length, 4 * 8);
  strictEqual(shapes.filter(({ attributes }) => attributes["class"] === "median").length, 4);
});

Deno.test("the bars of a step's parts are as long as their times", () => {
  const bars = plot("phases").shapes.filter(({ tag, text }) => tag === "rect" && text !== undefined).slice(0, 3);
  const widths = bars.map(({ attributes }) => Number(attributes["width"]));
  deepStrictEqual(bars.map(({ text }) => text), ["forward: 70.1 ms", "backward: 140 ms", "update: 4.25 ms"]);
  ok(Math.abs(widths[1]! / widths[0]! - 139.8 / 70.1) < 0.01, String(widths));
});

Deno.test("the memory of all variants is in one picture", () => {
  const { shapes } = plot("memory");
  strictEqual(shapes.filter(({ tag }) => tag === "polyline").length, 4);
  const legend = shapes.flatMap(({ text }) => text !== undefined && / \d[\d.]*$/.test(text) ? [text] : []);
  strictEqual(legend.length, 4, "each name with its peak");
});

Deno.test("shapes are within their plots and have finite places", () => {
  const one = variant("a".repeat(400));
  const odd = result([one, { ...one, name: `<script>"&` }]);
  for (const { name, width, height, shapes } of [...plotsOf(fullResult()), ...plotsOf(odd)]) {
    for (const { attributes } of shapes) {
      for (const [key, value] of Object.entries(attributes)) {
        if (typeof value !== "number") continue;
        ok(Number.isFinite(value) && value >= 0, `${name}: ${key} ${value}`);
        ok(value <= (/y|height/.test(key) ? height : width), `${name}: ${key} ${value}`);
      }
    }
  }
});

Deno.test("an SVG file has colours for light and dark viewers, and escapes names", () => {
  const odd = result([variant(`<script>"&`), variant("b")]);
  const text = svgFile(plotsOf(odd).find(({ name }) => name === "blocks")!);
  match(text, /^<svg xmlns/);
  match(text, /prefers-color-scheme: dark/);
  match(text, /--series-1: #3b78c3;.*--series-1: #6ea6ee;/s);
  match(text, /&lt;script&gt;&quot;&amp;/);
  ok(!text.includes("<script>"));
});
