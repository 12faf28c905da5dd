import assert from "node:assert/strict";
import { lazyField } from "../../runtime/core/lazy_field.ts";

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
