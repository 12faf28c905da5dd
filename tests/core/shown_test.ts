import assert from "node:assert/strict";
import { InputError } from "../../runtime/core/errors.ts";
import { readable } from "../../runtime/core/readable.ts";
import { reasonOf, shown, shownLines } from "../../runtime/core/shown.ts";

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

Deno.test("shown writes plain values as JSON, in at most 60 characters", () => {
  assert.equal(shown({ a: [1, "b", null, true] }), '{"a":[1,"b",null,true]}');
  assert.equal(shown('say "x"'), '"say \\"x\\""');
  assert.equal(shown(NaN), "NaN");
  assert.equal(shown(undefined), "missing");
  assert.equal(shown(new Float32Array(2)), "Float32Array of 8 bytes");
  assert.equal(shown("x".repeat(1e6)), `"${"x".repeat(56)}...`);
  assert.equal(shown(Array(1e5).fill(7)).length, 60);
});

Deno.test("shown describes what JSON cannot write, without calling getters or toJSON", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const fails = () => {
    throw new Error("called");
  };
  assert.equal(shown([5n, Symbol("s")]), "[5n,Symbol(s)]");
  assert.equal(shown(cycle), '{"self":[circular]}');
  assert.equal(shown(Object.defineProperty({}, "a", { get: fails, enumerable: true })), '{"a":[getter]}');
  assert.equal(shown({ toJSON: fails }), '{"toJSON":a function}');
  assert.equal(shown({ inner: revoked() }), '{"inner":an unreadable object}');
  assert.equal(shown(new Map()), "Map {}");
});

Deno.test("shownLines lists the first problems and counts the others", () => {
  const lines = shownLines(Array.from({ length: 4000 }, (_, i) => `problem ${i}`)).split("\n");
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [21, "problem 0", "and 3980 more of these problems"]);
  assert.equal(shownLines(["x".repeat(1e6)]).length, 600);
});

Deno.test("reasonOf reads the message of anything that was thrown", () => {
  assert.equal(reasonOf(new Error("broken")), "broken");
  assert.equal(reasonOf("text"), "text");
  assert.equal(reasonOf({ toString: null }), '{"toString":null}');
  assert.equal(reasonOf(revoked()), "an error without a readable message");
});

Deno.test("readable names the place of a cycle and of a value that cannot be read", () => {
  const cycle: { list: unknown[] } = { list: [] };
  cycle.list.push(cycle);
  const getter = Object.defineProperty({}, "bad", {
    get: () => {
      throw new Error("no");
    },
    enumerable: true,
  });
  const rejects = (value: unknown, message: string) =>
    assert.throws(() => readable(value, "x"), new InputError(message));
  rejects(cycle, "x.list[0]: contains itself");
  rejects({ a: [getter] }, "x.a[0].bad: cannot be read: no");
  rejects({ a: revoked() }, "x.a: cannot be read: Cannot perform 'getPrototypeOf' on a proxy that has been revoked");
  const shared = { n: 1 };
  assert.deepEqual(readable({ a: shared, b: shared }, "x"), { a: { n: 1 }, b: { n: 1 } });
});
