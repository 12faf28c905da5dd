import assert from "node:assert/strict";
import type { Config } from "../../runtime/scenario/config.ts";
import { withoutDuplicates } from "../../runtime/scenario/duplicates.ts";
import { pickVariants } from "../../runtime/scenario/pick_variants.ts";
import { NamePool } from "../../runtime/scenario/slug.ts";

/** Returns the number of times that settings are read to find the duplicates among `count` variants. */
function reads(count: number): number {
  let total = 0;
  const variants = Array.from({ length: count }, (_, i) => {
    const config = Object.defineProperty({}, "seed", {
      get: () => {
        total++;
        return i % (count - 1);
      },
      enumerable: true,
    });
    return { name: `v${i}`, config: config as Config, model: null };
  });
  assert.deepEqual(withoutDuplicates(variants).aliases, [{ name: `v${count - 1}`, of: "v0" }]);
  return total;
}

Deno.test("finding duplicates among ten times the variants reads at most 15 times the settings", () => {
  assert.ok(reads(1000) <= 15 * reads(100));
});

Deno.test("variants that differ late in a list or in bytes are no duplicates", () => {
  const lists = [0, 1].map((last) => [...Array(100).fill(5), last]);
  const bytes = [0, 1].map((last) => Uint8Array.from([...Array(100).fill(5), last]));
  const variants = [...lists, ...bytes, [...lists[0]!]].map((data, i) => {
    return { name: `v${i}`, config: { data } as unknown as Config, model: null };
  });
  assert.deepEqual(withoutDuplicates(variants).aliases, [{ name: "v4", of: "v0" }]);
});

Deno.test("a name that is taken gets the next free number", () => {
  const names = new NamePool();
  names.add("a-3");
  assert.deepEqual(["a", "a", "a", "a-2", "b"].map((name) => names.take(name)), ["a", "a-2", "a-4", "a-2-2", "b"]);
});

Deno.test("names with commas are picked by their longest form", () => {
  const all = ["a=1", "a=1,b=2", "b=2"].map((name) => ({ name }));
  const picked = (...wanted: string[]) => pickVariants(all, wanted, "a=1").map(({ name }) => name);
  assert.deepEqual(picked("a=1,b=2"), ["a=1,b=2"]);
  assert.deepEqual(picked("b=2", "a=1"), ["a=1", "b=2"]);
  assert.deepEqual(picked("a=1", "b=2", "b=2"), ["a=1,b=2", "b=2"]);
});
