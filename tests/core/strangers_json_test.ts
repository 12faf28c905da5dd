import assert from "node:assert/strict";
import { z } from "zod";
import { checkFirst, parseFirst, parseJson } from "../../runtime/core/strangers_json.ts";

Deno.test("JSON with brackets and quotes in its strings is parsed as usual", () => {
  const deep = Array.from({ length: 199 }).reduce<unknown>((inner) => [inner], { '[{,\\"': '"]\\' });
  const values = [deep, "[".repeat(1000), { a: ["\\", '\\"', "{{{"], "": [[], {}] }, 1, null, ""];
  for (const value of values) {
    for (const indent of [0, 2]) {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(parseJson(text), JSON.parse(text));
    }
  }
  for (const text of ["", "{", '"', '"\\', "]]]]", '{"a":1,}']) assert.throws(() => parseJson(text), SyntaxError, text);
});

Deno.test("JSON that is nested too deeply, or has too many values, is refused", () => {
  assert.throws(() => parseJson("[".repeat(201) + "]".repeat(201)), /nested more than 200 deep/);
  assert.throws(() => parseJson('{"a":'.repeat(201) + "1" + "}".repeat(201)), /nested more than 200 deep/);
  assert.throws(() => parseJson(`[${"{},".repeat(2 ** 23)}{}]`), /more than \d+ values/);
});

Deno.test("the problems of a long list are not collected", () => {
  const step = z.strictObject({ a: z.number(), b: z.string(), c: z.array(z.number()) });
  const schema = z.strictObject({ steps: z.array(step), more: z.record(z.string(), z.array(step)) });
  const wrong = Array.from({ length: 100_000 }, () => ({}));
  const { error } = checkFirst(schema, { steps: wrong, more: { a: wrong } });
  assert.ok(error!.issues.length < 10, `${error!.issues.length} problems`);
  assert.deepEqual(error!.issues[0]!.path.slice(0, 2), ["steps", 0]);
  assert.throws(() => parseFirst(schema, { steps: [], more: { a: wrong } }), { name: "ZodError" });
  assert.deepEqual(parseFirst(schema, { steps: [], more: {} }), { steps: [], more: {} });
});
