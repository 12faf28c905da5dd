import { deepStrictEqual } from "node:assert/strict";
import { asksForRanks } from "../../runtime/cli/main.ts";

const cases: readonly (readonly [definition: unknown, args: readonly string[], asks: boolean])[] = [
  [null, [], false],
  [{ name: "a", variants: { one: {}, two: { sink: 10 } } }, ["amp=O0,O2", "--json", "-"], false],
  [{ name: "a", distribute: false, variants: { one: { distribute: null } } }, ["distribute=false"], false],
  [{ name: "distribute", variants: { distribute: {} } }, ["--variants=distribute"], false],
  [{ data: { kind: "mine", distribute: true }, params: { distribute: {} } }, [], false],
  [{ distribute: true }, [], true],
  [{ variants: { ranks: { distribute: { overlap: true } } } }, [], true],
  [{ variants: [{ name: "ranks", distribute: true }] }, [], true],
  [{ variants: { both: { kind: "compose", parts: ["sink", { distribute: true }] } } }, [], true],
  [{ sweep: { distribute: [false, true] } }, [], true],
  [{ sweep: { "distribute.bucket": ["1MiB", "4MiB"] } }, [], true],
  [{ sweep: { zip: [{ distribute: [false, true], amp: ["O0", "O2"] }] } }, [], true],
  [{ adapters: { software: { distribute: true } } }, [], true],
  [{}, ["distribute=false,true"], true],
  [{}, ["distribute.compress=f16"], true],
];

Deno.test("other ranks are looked for only where a scenario or an argument sets distribute", () => {
  const found = cases.map(([definition, args]) => asksForRanks(definition, args));
  deepStrictEqual(found, cases.map(([, , asks]) => asks));
});
