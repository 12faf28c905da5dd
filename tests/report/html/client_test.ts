import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { toTsv } from "../../../runtime/report/html/client/clipboard.ts";
import { notTuned } from "../../../runtime/report/html/client/context.ts";
import { nameText } from "../../../runtime/report/html/client/names.ts";
import { numberText, percentText, tickText } from "../../../runtime/report/html/client/numbers.ts";
import { Anchors, hrefOf, placeOf } from "../../../runtime/report/html/client/route.ts";
import { decades, linearTicks, logScale } from "../../../runtime/report/scale.ts";
import { scopeTree } from "../../../runtime/report/html/client/variant/flame_graph.ts";
import type { VariantResult } from "../../../runtime/result/schema.ts";
import { hostileText } from "../hostile.ts";
import { ops } from "../profile_fixture.ts";

Deno.test("names become short text on one line", () => {
  strictEqual(nameText("layer1.0.conv1"), "layer1.0.conv1");
  strictEqual(nameText(""), "(no name)");
  strictEqual(nameText("a\nb\u202ec\x1b"), "a\\nb\\u{202e}c\\u{1b}");
  strictEqual(nameText("x".repeat(10_000), 9), "xxx…xxxxx");
  fc.assert(
    fc.property(hostileText(), (name) => {
      const text = nameText(name, 40);
      ok(!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text));
      ok([...text].length <= 40 || text === "(no name)", text);
      ok(text.isWellFormed());
    }),
    { numRuns: 300 },
  );
});

Deno.test("a link round-trips any variant and anchor, and invalid links are rejected", () => {
  fc.assert(fc.property(hostileText(), hostileText(), (variant, anchor) => {
    deepStrictEqual(placeOf(hrefOf({ variant, anchor })), {
      variant: variant.toWellFormed(),
      anchor: anchor.toWellFormed(),
    });
  }));
  deepStrictEqual(placeOf("#/losses"), { variant: null, anchor: "losses" });
  for (const hash of ["", "#", "#losses", "#/of/a", "#/of/a/b/c", "#/%E0%A4%A"]) strictEqual(placeOf(hash), null, hash);
});

Deno.test("anchors are found individually and as members of a family", () => {
  const anchors = new Anchors();
  const element = {} as HTMLElement;
  anchors.set("queues", element);
  anchors.setFamily("op", { has: (id) => id === "a:b", find: (id) => id === "a:b" ? element : null });
  const names = ["queues", "op:a:b", "op:c", "op", "nowhere"];
  deepStrictEqual(names.filter((name) => anchors.has(name)), ["queues", "op:a:b"]);
  deepStrictEqual(names.filter((name) => anchors.find(name) === element), ["queues", "op:a:b"]);
});

Deno.test("copied tables keep full precision, rows and columns, and contain no formulas", () => {
  strictEqual(
    toTsv([["a", "b"], [1 / 3, null], ["x\ty\nz", "=1+1"], [-2, "-2"]]),
    "a\tb\n0.3333333333333333\t\nx y z\t'=1+1\n-2\t'-2\n",
  );
});

Deno.test("numbers have three significant digits, and ticks a unit prefix", () => {
  deepStrictEqual([numberText(null), numberText(0), numberText(1.234), numberText(123.4)], ["–", "0", "1.23", "123"]);
  deepStrictEqual([percentText(0.0312), percentText(0.5), percentText(undefined)], ["3.1 %", "50 %", "–"]);
  deepStrictEqual([0, 0.25, 1500, 25_000, 3e6, 2e9].map(tickText), ["0", "0.25", "1500", "25k", "3M", "2G"]);
});

Deno.test("axis ticks are round numbers within the range", () => {
  deepStrictEqual(linearTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  deepStrictEqual(linearTicks(3, 3, 4), [3]);
  deepStrictEqual(decades(0.02, 300), [0.1, 1, 10, 100]);
  const scale = logScale([1, 100], [0, 200]);
  deepStrictEqual([1, 10, 100].map((value) => Math.round(scale(value))), [0, 100, 200]);
});

Deno.test("a scope's time is the sum of its ops", () => {
  const tree = scopeTree(ops);
  strictEqual(tree.time, 8);
  deepStrictEqual(tree.children.map(({ name, time }) => [name, time]), [
    ["features", 5.25],
    ["fc", 1.25],
    ["loss", 0.5],
    ["adam", 1],
  ]);
  const [conv] = tree.children[0]!.children;
  deepStrictEqual(conv!.children.map(({ name, time, op }) => [name, time, op?.phase]), [
    ["conv2d", 2, "forward"],
    ["conv2d_weight_grad", 3, "backward"],
  ]);
});

Deno.test("scopes are limited to eight levels", () => {
  const deep = { ...ops[0]!, layer: Array.from({ length: 1000 }, (_, i) => `s${i}`).join(".") };
  let depth = 0;
  for (let node = scopeTree([deep]); node.children[0] !== undefined; node = node.children[0]) depth++;
  strictEqual(depth, 9);
});

Deno.test("the reason for missing tuned kernels is given", () => {
  const config = (autotune: unknown, model: string | null = "model") => ({ model, compile: { autotune } });
  const why = (config: unknown) => notTuned({ autotune: null, config: config as VariantResult["config"] });
  strictEqual(why(config(null)), "off (compile.autotune)");
  strictEqual(why({}), "off (compile.autotune)", "a version without autotuning");
  strictEqual(why(config({ start: 1, stop: 4 })), "the variant ended before its kernels were tuned");
  strictEqual(why(config({ start: 1, stop: 4 }, null)), "no model, so nothing to tune");
});
