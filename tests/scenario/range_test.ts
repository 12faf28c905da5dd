import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { formatValue, parseOverride } from "../../runtime/scenario/override.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { altered, configOf, namesOf, refuses, single } from "./fixtures.ts";

const valuesOf = (text: string) => parseOverride(`key=${text}`).values.map(({ value }) => value);

Deno.test("a range adds its step, or multiplies by its factor", () => {
  assert.deepEqual(valuesOf("8..32:8"), [8, 16, 24, 32]);
  assert.deepEqual(valuesOf("16..256:x2"), [16, 32, 64, 128, 256]);
  assert.deepEqual(valuesOf("1..4"), [1, 2, 3, 4]);
  assert.deepEqual(valuesOf("8..30:8"), [8, 16, 24], "the second end is not hit");
  assert.deepEqual(valuesOf("4,16..64:x2,100"), [4, 16, 32, 64, 100]);
  assert.deepEqual([valuesOf("4..1"), valuesOf("10..0:-5"), valuesOf("8..1:x0.5")], [
    [4, 3, 2, 1],
    [10, 5, 0],
    [8, 4, 2, 1],
  ]);
  assert.deepEqual(valuesOf("-2..2:2"), [-2, 0, 2]);
  assert.deepEqual(valuesOf("7..7"), [7]);
});

Deno.test("values of a range have no rounding errors, and its second end is not lost to them", () => {
  assert.deepEqual(valuesOf("0.1..0.7:0.1"), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
  assert.deepEqual(valuesOf("1e-4..1e-1:x10"), [1e-4, 1e-3, 1e-2, 1e-1]);
  assert.deepEqual(valuesOf("1..1000:x10"), [1, 10, 100, 1000]);
  assert.deepEqual(valuesOf("-0.3..0.3:0.1"), [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  assert.deepEqual(valuesOf("0.3..-0.3:-0.3"), [0.3, 0, -0.3]);
  assert.deepEqual(valuesOf("1e-3..4e-3:1e-3"), [0.001, 0.002, 0.003, 0.004]);
  assert.deepEqual(valuesOf("0..2.1:0.7"), [0, 0.7, 1.4, 2.1]);
  assert.deepEqual(valuesOf("-1e308..1e308:1e308"), [-1e308, 0, 1e308]);
  assert.deepEqual(valuesOf("9007199254740990..9007199254740994:2").length, 3);
  assert.deepEqual(parseOverride("rate=1e-3..1e-2:x10").values.map(({ text }) => text), ["0.001", "0.01"]);
});

Deno.test("the values of a range are those nearest to its decimals, and it ends where a step hits the second end", () => {
  const decimal = fc.tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 0, max: 12 }));
  fc.assert(fc.property(decimal, decimal, fc.nat(40), fc.integer({ min: 0, max: 9 }), (from, step, steps, over) => {
    fc.pre(step[0] !== 0);
    const places = 1 + Math.max(from[1], step[1]);
    const [first, each] = [from, step].map(([digits, exponent]) => BigInt(digits) * 10n ** BigInt(places - exponent));
    const text = (value: bigint) => {
      const digits = `${value < 0n ? -value : value}`.padStart(places + 1, "0");
      return `${value < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
    };
    const last = first! + each! * BigInt(steps) + each! * BigInt(over) / 10n;
    const values = Array.from({ length: steps + 1 }, (_, i) => Number(text(first! + each! * BigInt(i))));
    assert.deepEqual(valuesOf(`${text(first!)}..${text(last)}:${text(each!)}`).map(String), values.map(String));
  }));
});

Deno.test("a text in quotes, a path and a version are no ranges", () => {
  assert.deepEqual(valuesOf('"1..4",../data,1.2.3,1..,[1..4]'), ["1..4", "../data", "1.2.3", "1..", ["1..4"]]);
  assert.deepEqual(valuesOf(formatValue("1..4")), ["1..4"]);
});

Deno.test("a range without values is refused with the reason", () => {
  const cases: [string, RegExp][] = [
    ["16..256:y2", /^"key=16\.\.256:y2": expected a range such as .*, got 16\.\.256:y2$/],
    ["1..9:0", /expected a step other than 0/],
    ["1..9:-2", /a step of -2 does not lead from 1 to 9; expected 2/],
    ["0.1..0.5", /expected a step, such as 0\.1\.\.0\.5:0\.1/],
    ["1..9:x1", /expected a factor above 0 other than 1/],
    ["1..9:x-2", /expected a factor above 0/],
    ["9..1:x2", /a factor of 2 does not lead from 9 to 1; expected 0\.5/],
    ["0..8:x2", /only if both have the same sign/],
    ["1..1e9", /expected at most 10000 values instead of 1000000000/],
    ["1..1e999", /expected finite numbers/],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => valuesOf(text), (error) => error instanceof InputError && message.test(error.message), text);
  }
});

Deno.test("ranges sweep from the command line and from the script, zips included", () => {
  const typed = resolveScenario(single, { overrides: ["loader.batchSize=8..32:x2", "sink=0,10"] });
  assert.deepEqual(namesOf(typed).slice(0, 3), ["batchSize=8,sink=0", "batchSize=8,sink=10", "batchSize=16,sink=0"]);
  assert.equal(typed.variants.length, 6);
  const swept = (sweep: unknown) => altered({ variants: undefined, sweep });
  const written = resolveScenario(
    swept({ "loader.batchSize": "8..32:x2", zip: { sink: "0..10:10", amp: ["O0", "O2"] } }),
  );
  assert.equal(written.variants.length, 6);
  assert.equal(configOf(written, "batchSize=32,sink=10,amp=O2").loader.batchSize, 32);
  refuses(swept({ sink: "0..8:x2" }), {}, /^sweep\.sink: a factor leads .*, got "0\.\.8:x2"/);
  refuses(swept({ zip: { sink: "0..2", amp: ["O0", "O2"] } }), {}, /^sweep\.zip: .* got sink 3, amp 2/);
  refuses(swept({ sink: "0,10" }), {}, /^sweep\.sink: expected a list of values, or a range/);
  refuses(single, { overrides: ["seed=1..3"] }, "seed: applies to the whole scenario; give one value, not a list");
});

Deno.test("a sweep of too many combinations is refused before they are listed", () => {
  const overrides = ["loader.batchSize=1..1000", "loader.prefetch=1..1000"];
  refuses(single, { overrides }, "sweep: 1000000 combinations of 2 axes; expected at most 100000");
});
