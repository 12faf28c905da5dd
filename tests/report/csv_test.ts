import assert from "node:assert/strict";
import { renderCsv } from "../../runtime/report/csv.ts";
import { renderProfileCsv } from "../../runtime/report/profile/csv.ts";
import { parseCsv } from "../support/csv.ts";
import { failed, result } from "./result_fixture.ts";
import { hostileNames } from "./hostile.ts";
import { op, profiled, profiledResult } from "./profile_fixture.ts";

Deno.test("fields are quoted if necessary, and numbers are not", () => {
  assert.equal(
    renderCsv([["a", 'b"c', "d,e", null, -1.5, 0, "x; y", " z"]]),
    'a,"b""c","d,e",,-1.5,0,x; y," z"\n',
  );
});

Deno.test("non-finite numbers are written as words, not as formulas", () => {
  assert.equal(renderCsv([[NaN, Infinity, -Infinity]]), "NaN,Infinity,'-Infinity\n");
});

Deno.test("text fields are neither formulas nor break a row", () => {
  for (const text of ["=1+1", "+1", "-1", "@A1", "\t=1", "  =1", "＝1"]) {
    const [[field]] = parseCsv(renderCsv([[text]])) as [[string]];
    assert.match(field, /^('|\\t)/, text);
  }
  const rows = parseCsv(renderCsv(hostileNames.map((name) => [name, 1])));
  assert.equal(rows.length, hostileNames.length);
  for (const row of rows) assert.deepEqual([row.length, row[1]], [2, "1"]);
});

Deno.test("profile.csv has a row per line of the NNC log, with its columns first", () => {
  const [header, ...rows] = parseCsv(renderProfileCsv(profiledResult()));
  assert.deepEqual(header!.slice(0, 5), ["function", "layer", "type", "ms", "variant"]);
  assert.deepEqual(rows.map((row) => row.slice(0, 4).join(" ")), [
    "load_dataset   0.5",
    "let_data x Input 0.2",
    "setup_function features.conv1 Convolution 126",
    "setup_function features.relu1 ReLU ",
    "setup_function fc Affine 20",
    "setup_function loss SoftmaxCrossEntropy 20",
    "forward_function features.conv1 Convolution 2",
    "forward_function features.relu1 ReLU 0.25",
    "forward_function fc Affine 0.5",
    "forward_function loss SoftmaxCrossEntropy 0.25",
    "backward_function loss SoftmaxCrossEntropy 0.25",
    "backward_function fc Affine 0.75",
    "backward_function features.conv1 Convolution 3",
    "forward_all   3",
    "backward_all   4",
    "backward_all(wo param zero_grad)   4",
    "update Adam  1",
    "monitor_loss   2",
  ]);
  const conv = Object.fromEntries(header!.map((name, i) => [name, rows[6]![i]!]));
  assert.deepEqual(conv, {
    function: "forward_function",
    layer: "features.conv1",
    type: "Convolution",
    ms: "2",
    variant: "baseline",
    clock: "device",
    in_place: "no",
    recomputed: "no",
    ops: "features.conv1",
    phase: "forward",
    scope: "features.conv1",
    kernel: "conv2d.forward",
    members: "",
    inputs: "32x3x32x32 16x3x3x3 16",
    outputs: "32x16x32x32",
    dtype: "f32",
    calls: "5",
    dispatches: "1",
    dispatch_kernels: "conv2d.forward",
    dispatch_median_ms: "2",
    total_ms: "10",
    median_ms: "2",
    min_ms: "1.5",
    max_ms: "3",
    share: "0.25",
    flops: "28000000",
    bytes: "2500000",
    gflops_per_s: "14",
    gb_per_s: "1.25",
    pipeline_ms: "120",
    first_dispatch_ms: "6",
  });
  const gradient = Object.fromEntries(header!.map((name, i) => [name, rows[11]![i]!]));
  assert.equal(gradient["ops"], "fc/linear_input_grad; fc_bias/bias_grad");
  assert.deepEqual([gradient["total_ms"], gradient["min_ms"], gradient["dispatches"]], ["3.75", "", "3"]);
  assert.equal(gradient["dispatch_median_ms"], "0.5; 0.125 0.125");
});

Deno.test("profile.csv keeps long names in full and omits variants that never ran", () => {
  const long = "x".repeat(10_000);
  const [, ...rows] = parseCsv(
    renderProfileCsv(result([profiled("a", { ops: [op(long, long, 1)] }), failed("b", "no", 3)])),
  );
  assert(rows.some(([, layer]) => layer === long));
  assert.deepEqual([...new Set(rows.map((row) => row[4]))], ["a"]);
});
