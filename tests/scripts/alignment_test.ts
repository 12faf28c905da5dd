import assert from "node:assert/strict";
import { resultSchema } from "../../mod.ts";
import { alignmentTable } from "../../scripts/alignment.ts";
import { result, variant } from "../report/result_fixture.ts";

const script = new URL("../../scripts/alignment.ts", import.meta.url).pathname;

/** A variant whose steps took these times in ms. */
function timed(name: string, times: readonly (number | null)[]) {
  const { metrics } = variant("baseline");
  const steps = times.map((forward, index) => ({
    ...{ index, batchCost: 9, readerCost: 0, stepTime: null, iterationGap: null, backward: null, update: null },
    ...{ forward, loss: null },
  }));
  return variant(name, { metrics, blocks: [{ round: 0, position: 0, samples: 1, wall: 1, steps }] });
}

/** Runs the script with its smallest settings. */
async function runScript(...args: readonly string[]) {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "-A",
      "--no-check",
      script,
      "--steps",
      "1",
      "--skip",
      "1",
      "--rounds",
      "2",
      "--no-store",
      ...args,
    ],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

Deno.test("the script tabulates both precisions and their ratio, per shape", async () => {
  const list = await runScript("--list");
  const names = list.stdout.match(/f(32|16)-conv-\d+x\d+/g)!;
  assert(names.length >= 4, list.stdout);
  const f16 = names.some((name) => name.startsWith("f16"));
  const shapes = [...new Set(names.map((name) => name.slice(4)))];
  assert.equal(shapes.length, 4, "aligned, one odd, the other, both");
  const chosen = names.filter((name) => name.endsWith(shapes[0]!) || name.endsWith(shapes[3]!));

  const { code, stdout, stderr } = await runScript("--variants", chosen.join(","), "--json", "-");
  assert.equal(code, 0, stderr);
  resultSchema.parse(JSON.parse(stdout));
  const ratio = f16 ? "\\d[\\d.]* +×\\d+\\.\\d\\d" : "– +–";
  const [all, odd] = [shapes[0]!, shapes[3]!].map((shape) => shape.slice(5).split("x"));
  for (const [[input, output], aligned] of [[all!, "yes"], [odd!, "no"]] as const) {
    const row =
      `^conv nhwc +\\[16, ${input}, .*\\] \\* \\[${output}, ${input}, 3, 3\\] +${aligned} +\\d[\\d.]* +${ratio}$`;
    assert.match(stderr, new RegExp(row, "m"));
  }
});

Deno.test("an odd number of rows stands beside the even one, and nchw beside nhwc", async () => {
  const names = (await runScript("--list")).stdout.match(/(?<=f32-)[\w-]+/g)!;
  const [even, odd] = [names[0]!, names.find((name) => name.startsWith("product-35x"))!];
  const nchw = names.filter((name) => name.startsWith("conv-nchw-"));
  assert.equal(odd, even.replace("product-", "product-35x"));
  assert.deepEqual(nchw.map((name) => name.replace("nchw-", "")).filter((name) => !names.includes(name)), []);
  assert.equal(nchw.length, 2, "aligned and odd");
  const [, , ...rows] = alignmentTable(result([even, odd, ...nchw].map((name, i) => timed(`f32-${name}`, [i + 1]))));
  const read = rows.map((row) => /^(product|conv \w+) +(\[.*\]) +(yes|no) +([\d.]+) +– +–$/.exec(row)!.slice(1));
  assert.deepEqual(read.map(([op, , aligned, ms]) => [op, aligned, ms]), [
    ["product", "yes", "1.00"],
    ["product", "no", "2.00"],
    ["conv nchw", "yes", "3.00"],
    ["conv nchw", "no", "4.00"],
  ]);
  assert.match(read[1]![1]!, /^\[16, 35, /);
});

Deno.test("times are medians over all steps, and a missing precision leaves the ratio open", async () => {
  const shapes = (await runScript("--list")).stdout.match(/(?<=f32-)product-\d+x\d+/g)!;
  const [first, second] = shapes as [string, string];
  const variants = [
    timed(`f32-${first}`, [3, 900, 2.5, null]),
    timed(`f16-${first}`, [2, 1, 1.5]),
    timed(`f32-${second}`, [250.4]),
    timed(`f16-${second}`, [null]),
  ];
  const [, head, ...rows] = alignmentTable(result(variants));
  assert.match(head!, /^op +sizes +aligned +f32 ms +f16 ms +f32\/f16$/);
  assert.equal(rows.length, 2);
  assert.match(rows[0]!, / yes +3\.00 +1\.50 +×2\.00$/);
  assert.match(rows[1]!, / no +250 +– +–$/);
  assert.deepEqual(alignmentTable(result([variant("other")])), [], "no shape of the table was measured");
});
