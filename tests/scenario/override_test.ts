import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { formatValue, parseOverride } from "../../runtime/scenario/override.ts";

const valuesOf = (text: string) => parseOverride(`key=${text}`).values.map(({ value }) => value);

Deno.test("parseOverride reads paths and values", () => {
  assert.deepEqual(parseOverride("loader.numWorkers=0,2"), {
    keys: ["loader", "numWorkers"],
    values: [{ value: 0, text: "0" }, { value: 2, text: "2" }],
  });
  assert.deepEqual(valuesOf("1e-3, -2 ,.5,+4"), [0.001, -2, 0.5, 4]);
  assert.deepEqual(valuesOf("true,false,null"), [true, false, null]);
  assert.deepEqual(valuesOf("O2,/data/cifar 10/x,1.2.3,0x10"), ["O2", "/data/cifar 10/x", "1.2.3", "0x10"]);
  assert.deepEqual(valuesOf(`"a,b",'c "d"',"\\u0041\\n",'it\\'s'`), ["a,b", 'c "d"', "A\n", "it's"]);
  assert.deepEqual(valuesOf("[1,2],[]"), [[1, 2], []]);
  assert.deepEqual(valuesOf(`${"[".repeat(100)}${"]".repeat(100)}`).flat(99), [[]]);
  assert.deepEqual(valuesOf("[[]],".repeat(99) + "[]").length, 100);
  assert.deepEqual(valuesOf("{level: O2, scaler: {init: 1024}},{}"), [{ level: "O2", scaler: { init: 1024 } }, {}]);
  assert.deepEqual(valuesOf(`[{kind: randomCrop, "size": 32}, [a, "]"]]`), [[{ kind: "randomCrop", size: 32 }, [
    "a",
    "]",
  ]]]);
  assert.deepEqual(valuesOf(`""`), [""]);
  assert.deepEqual(valuesOf("a=b"), ["a=b"]);
});

Deno.test("parseOverride refuses malformed overrides", () => {
  const cases: [string, RegExp][] = [
    ["depth", /^"depth": expected key=value, such as loader\.numWorkers=0,2$/],
    ["=3", /expected key=value/],
    ["a..b=3", /expected key=value/],
    ["--depth=3", /expected key=value/],
    ["a=", /^"a=": expected a value \("" for an empty string\) at character 3$/],
    ["a=1,", /expected a value .* at character 5/],
    ["a=[1,2", /expected "," or "\]" at character 7/],
    ["a={b 2}", /expected a key and ":"/],
    ["a={b:2", /expected "," or "}"/],
    ['a="b', /expected a closing "/],
    ['a="\\x"', /JSON escapes at character 3/],
    ["a=[1]2", /expected "," or the end of the text at character 6/],
    [`a=${"[".repeat(101)}`, /expected at most 100 lists and records inside one another at character 103$/],
    [`a=${"{b:".repeat(30_000)}`, /expected at most 100 lists and records inside one another at character 303$/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseOverride(text),
      (error) => error instanceof InputError && message.test(error.message),
      text,
    );
  }
});

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x === 0 ? 0 : x);
const key = fc.string({ unit: "binary" }).filter((name) => name !== "__proto__" && name !== "");
const { value: plainData } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    finite,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

Deno.test("parseOverride reads back what formatValue writes", () => {
  fc.assert(
    fc.property(fc.array(plainData, { minLength: 1, maxLength: 4 }), (values) => {
      assert.deepEqual(valuesOf(values.map(formatValue).join(",")), values);
    }),
    { numRuns: 300 },
  );
});

Deno.test("parseOverride either reads a text or refuses it with an InputError", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."[]{},:\"'\\ ab1-.") }), (text) => {
      try {
        assert.ok(parseOverride(`key=${text}`).values.length > 0);
      } catch (error) {
        assert.ok(error instanceof InputError, `${error}`);
      }
    }),
    { numRuns: 500 },
  );
});
