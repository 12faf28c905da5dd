import assert from "node:assert/strict";
import { hostTask, infer, pipeline, relu } from "../../mod.ts";
import { InputError } from "../../runtime/core/errors.ts";

Deno.test("stages are named by position unless they have a name", () => {
  const { stages } = pipeline([infer(relu()), hostTask(() => {}, { name: "boxes" }), infer((x) => x)]);
  assert.deepEqual(stages.map(({ kind, name }) => [kind, name]), [
    ["infer", "infer1"],
    ["host", "boxes"],
    ["infer", "infer3"],
  ]);
});

Deno.test("an invalid pipeline is refused with the stage and what was expected", () => {
  const wrong = (stages: unknown, message: RegExp) =>
    assert.throws(() => pipeline(stages as Parameters<typeof pipeline>[0]), (error) => {
      assert.ok(error instanceof InputError);
      assert.match(error.message, message);
      return true;
    });
  wrong(relu(), /expected a list of stages, got a layer/);
  wrong([relu()], /stage 1 is a layer, expected infer\(model\) or hostTask\(fn\)/);
  wrong([hostTask(() => {})], /at least one infer\(model\)/);
  wrong([infer(relu(), { name: "a" }), hostTask(() => {}, { name: "a" })], /two stages are named "a"/);
  assert.throws(() => infer(3 as never), /infer: expected a layer, got a number/);
  assert.throws(() => hostTask({} as never), /hostTask: expected a function, got an object/);
});
