import assert from "node:assert/strict";
import { CASES } from "./cases.ts";
import { testTrainings } from "./checks.ts";
import { depthwise } from "./depthwise.ts";
import { lenet } from "./lenet.ts";
import { resnet20 } from "./resnet20.ts";
import { full } from "../support/full.ts";
import { compare, lossesOf } from "./training.ts";
import type { ModelCase } from "./case.ts";

// branches.ts has residual blocks and norms
testTrainings(full ? CASES : CASES.filter((test) => test !== resnet20), check);

Deno.test("fusion changes no loss beyond rounding", async () => {
  for (const test of full ? [depthwise, resnet20] : [depthwise]) {
    const fused = await lossesOf(test, { compile: { fusion: true } });
    const plain = await lossesOf(test, { compile: { fusion: false } });
    fused.forEach((loss, i) => assert.ok(Math.abs(loss - plain[i]!) <= 1e-5 * loss, `${test.name}, step ${i}`));
  }
});

// vision_test.ts has networks with residual blocks
Deno.test("images in NCHW train the same", async () => {
  for (const test of full ? [lenet, depthwise] : [lenet]) {
    const pixels = await lossesOf(test, { compile: { layout: "nhwc" } });
    const planes = await lossesOf(test, { compile: { layout: "nchw" } });
    planes.forEach((loss, i) => assert.ok(Math.abs(loss - pixels[i]!) <= 1e-5 * loss, `${test.name}, step ${i}`));
  }
});

async function check(test: ModelCase, few?: boolean): Promise<void> {
  const { losses, gradients, allGradients, parameters, changes, running, inference } = await compare(test, few);
  const { tolerance } = test;
  assert.ok(losses <= tolerance, `losses differ by ${losses}`);
  assert.ok(gradients <= tolerance, `gradients of the first step differ by ${gradients}`);
  assert.ok(allGradients <= 1e-4, `all gradients of the first step together differ by ${allGradients}`);
  assert.ok(parameters <= tolerance, `parameters differ by ${parameters}`);
  // Relative to the change alone, the rounding of a parameter is larger
  assert.ok(changes <= 10 * tolerance, `changes of parameters differ by ${changes}`);
  assert.ok(running <= tolerance, `running statistics differ by ${running}`);
  assert.ok(inference <= tolerance, `outputs in inference differ by ${inference}`);
}
