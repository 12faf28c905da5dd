import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { merge, mergeAll, nest } from "../../runtime/scenario/merge.ts";

Deno.test("merge combines records and replaces everything else", () => {
  assert.deepEqual(merge({ a: { b: 1, c: [1, 2] }, d: 1 }, { a: { c: [3] }, d: undefined }), {
    a: { b: 1, c: [3] },
    d: 1,
  });
  assert.deepEqual(merge({ a: null }, { a: { b: 1 } }), { a: { b: 1 } });
  assert.deepEqual(merge({ a: { b: 1 } }, { a: null }), { a: null });
  const data = new Float32Array(2);
  assert.equal((merge({ data: new Float32Array(1) }, { data }) as { data: unknown }).data, data);
});

Deno.test("merge replaces a record of another kind", () => {
  const sgd = { kind: "sgd", momentum: 0.9 };
  assert.deepEqual(merge(sgd, { kind: "adam", beta1: 0.8 }), { kind: "adam", beta1: 0.8 });
  assert.deepEqual(merge(sgd, { kind: "sgd", learningRate: 1 }), { ...sgd, learningRate: 1 });
  assert.deepEqual(merge(sgd, { learningRate: 1 }), { ...sgd, learningRate: 1 });
});

Deno.test("merge does not change its arguments, and undefined changes nothing", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.jsonValue(), { noNullPrototype: true }),
      (record) => {
        const before = structuredClone(record);
        assert.deepEqual(merge(record, {}), before);
        assert.deepEqual(merge({}, record), before);
        assert.deepEqual(merge(record, record), before);
        mergeAll([record, { a: 1, b: { c: 2 } }]);
        assert.deepEqual(record, before);
      },
    ),
  );
});

Deno.test("nest wraps a value in records", () => {
  assert.deepEqual(nest(["a", "b"], 1), { a: { b: 1 } });
});
