import assert from "node:assert/strict";
import { FormCode, renderCode } from "../../runtime/graph/form_code.ts";

const code = new FormCode(({ uniform, buffer }) => `${buffer("state")}[0] * ${uniform("key")}`);

Deno.test("a form's code takes the names that a kernel gives", () => {
  const names = { uniform: (field: string) => `u.${field}3`, buffer: () => "raw1" };
  assert.equal(renderCode(code, names), "raw1[0] * u.key3");
  assert.equal(renderCode("x + 1.0", names), "x + 1.0");
});

Deno.test("the code of a form serialises to JSON as its rendered text", () => {
  assert.equal(JSON.stringify({ code }), JSON.stringify({ code: renderCode(code) }));
  assert.equal(renderCode(code), "state[0] * u.key");
});
