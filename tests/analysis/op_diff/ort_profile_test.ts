import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { opDiff } from "../../../runtime/analysis/op_diff/op_diff.ts";
import { byLayer, ortLayer, ortSide } from "../../../runtime/analysis/op_diff/ort_profile.ts";
import { variantSide } from "../../../runtime/analysis/op_diff/side.ts";
import { profiled } from "../../report/profile_fixture.ts";
import { ortProfile } from "./ort_fixture.ts";

const CONV = "/features/features.conv1/Conv";
const times = { [CONV]: [9000, 2000, 2200, 1800], "/fc/Gemm": [900, 500, 500, 500] };

Deno.test("a profile of onnxruntime has the time of each node in each run after the first", () => {
  const { label, items, step, rounds } = ortSide("runs/ort.json", ortProfile(times), "node");
  deepStrictEqual([label, rounds], ["ort.json", null]);
  deepStrictEqual(items.map(({ name, samples, median, kernel }) => [name, samples, median, kernel]), [
    [CONV, [2, 2.2, 1.8], 2, "Conv, CPU"],
    ["/fc/Gemm", [0.5, 0.5, 0.5], 0.5, "Gemm, CPU"],
  ]);
  strictEqual(step, 2.502);
});

Deno.test("two runs or fewer are all kept", () => {
  const { items } = ortSide("ort.json", ortProfile({ a: [3000, 1000] }), "node");
  deepStrictEqual(items[0]!.samples, [3, 1]);
});

Deno.test("layers have the names that Tacho gives those of the same model", () => {
  deepStrictEqual(
    ["/layer1/layer1.0/conv1/Conv", "/conv1/Conv", "Conv_0", "/layer1/layer1.0/relu/Relu"].map(ortLayer),
    ["layer1.0.conv1", "conv1", "Conv_0", "layer1.0.relu"],
  );
});

Deno.test("a run stands beside onnxruntime layer by layer, by its forward pass", () => {
  const variant = profiled("baseline");
  const layers = new Map(variant.ops.map(({ phase, id, layer }) => [`${phase} ${id}`, layer]));
  const own = byLayer(variantSide("last", variant, "op", null), layers);
  const { rows } = opDiff(ortSide("ort.json", ortProfile(times), "layer"), own);
  const byName = new Map(rows.map((row) => [row.name, row]));
  deepStrictEqual([...byName.keys()].sort(), ["fc", "features.conv1", "features.relu1", "loss"]);
  const { a, b, kernels } = byName.get("fc")!;
  deepStrictEqual([a, b, kernels], [0.5, 0.5, ["Gemm, CPU", "linear.forward"]]);
  strictEqual(byName.get("features.relu1")!.verdict, "new", "onnxruntime has fused it into the convolution");
});

Deno.test("a file that is no profile says what is wrong with it", () => {
  const cut = ortProfile(times).slice(0, -3);
  throws(() => ortSide("a.json", cut, "node"), /^InputError: --ort: a\.json is not JSON; .* end_profiling\(\)/);
  throws(() => ortSide("a.json", "{}", "node"), /a\.json is no profile of onnxruntime; expected a list of events/);
  throws(() => ortSide("a.json", "[]", "node"), (error) => {
    match(String(error), /a\.json has no runs of a session \("model_run"\)/);
    return true;
  });
});
