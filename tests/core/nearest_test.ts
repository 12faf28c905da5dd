import assert from "node:assert/strict";
import { nearest, suggestion } from "../../runtime/core/nearest.ts";

const KNOWN = ["optimizer", "loader.batchSize", "sink", "amp", "evaluate"];

Deno.test("the nearest name is found for typos and prefixes", () => {
  const cases: Record<string, string | undefined> = {
    optimiser: "optimizer",
    optimzer: "optimizer",
    Sink: "sink",
    snik: "sink",
    opt: "optimizer",
    "loader.batchsize": "loader.batchSize",
    evaluation: "evaluate",
    amp: "amp",
    xyz: undefined,
    momentum: undefined,
    "": undefined,
  };
  for (const [name, wanted] of Object.entries(cases)) assert.equal(nearest(name, KNOWN), wanted, name);
  assert.equal(nearest("sink", []), undefined);
});

Deno.test("a suggestion gives the nearest name, or all known names", () => {
  assert.equal(suggestion("sinc", KNOWN), '; did you mean "sink"?');
  assert.equal(suggestion("quux", ["ab", "cd"]), "; known: ab, cd");
  assert.equal(suggestion("quux", []), "");
});
