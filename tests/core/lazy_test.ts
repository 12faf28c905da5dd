import assert from "node:assert/strict";
import { lazyField, lazyList } from "../../runtime/core/lazy.ts";

Deno.test("a lazy list creates an element once, when it is read", () => {
  const made: number[] = [];
  const list = lazyList(4, (index) => {
    made.push(index);
    return { index };
  });
  assert.equal(list.length, 4);
  assert.deepEqual(made, []);
  assert.equal(list.find(({ index }) => index === 1), list[1]);
  assert.equal(list.indexOf(list[1]!), 1);
  assert.deepEqual(made, [0, 1]);
  assert.deepEqual(list.map(({ index }) => index), [0, 1, 2, 3]);
  assert.deepEqual(made, [0, 1, 2, 3]);
});

Deno.test("an element that could not be created is tried again", () => {
  let tries = 0;
  const list = lazyList(1, () => {
    if (++tries === 1) throw new Error("no");
    return "made";
  });
  assert.throws(() => list[0], /no/);
  assert.equal(list[0], "made");
});

Deno.test("a lazy field is made once, when it is read or copied", () => {
  let made = 0;
  const create = () => lazyField({ name: "a" }, "code", () => `code ${++made}`);
  const object = create();
  assert.equal(object.name, "a");
  assert.equal(made, 0);
  assert.equal(object.code, "code 1");
  assert.equal(object.code, "code 1");
  assert.deepEqual({ ...create() }, { name: "a", code: "code 2" });
  assert.deepEqual({ ...object, name: "b" }, { name: "b", code: "code 1" });
});
