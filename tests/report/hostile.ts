/**
 * Names that do harm where they are taken at their word, and results made of them. What the schema of results gains is
 * covered at once, since the results are drawn from the schema itself.
 *
 * @module
 */
import fc from "../packages/fast_check.ts";
import { z } from "zod";
import type { Timeline } from "../../runtime/record/timeline.ts";
import type { DryRun } from "../../runtime/result/dry_run.ts";
import { adaptedSchema, type Result, resultSchema } from "../../runtime/result/schema.ts";
import { memorySchema, variantSchema } from "../../runtime/result/variant.ts";

export const hostileNames: readonly string[] = [
  `<script>alert("x")</script>`,
  `a"b'c,d;e`,
  '=HYPERLINK("http://x")',
  "+1+1",
  "-2",
  "@SUM(A1)",
  "line\nbreak\r\ttab",
  "\x1b[31mred\x1b[2J\x07\x9b1m",
  "right\u202eto left\u2066",
  "zero\u200bwidth",
  "e" + "\u0301".repeat(10_000),
  "x".repeat(10_000),
  "宽".repeat(300),
  "a" + "😀".repeat(3_000),
  "a.".repeat(300) + "b",
  "",
];

/** Further ones, for places that are less simple than a table of text. */
const MORE_NAMES: readonly string[] = [
  `"><img src=x onerror=alert(1)>`,
  `</script><svg onload=alert(1)>`,
  `javascript:alert(1)`,
  `' onmouseover='alert(1)`,
  "&lt;b&gt;&#60;b&#62;&amp;",
  "=cmd|' /C calc'!A0",
  "|a|b|\\|c|",
  "`code` ``two`` ```",
  "``",
  "` `",
  "\\",
  "a\\",
  "[link](http://example.org) ![image](x)",
  "http://example.org www.example.org a@example.org",
  "@someone #1 GH-1 \\@someone",
  "**bold** _under_ ~~gone~~ *star*",
  "# heading\n- list\n\n| a |\n| - |\n",
  "<!-- comment",
  "-->",
  "{{template}} ${value} $1 $& $' %s %n",
  "]]>",
  "nul\0nul",
  "\x1b]8;;http://example.org\x07link\x1b]8;;\x07",
  "\x1b]0;title\x07\x1bPq\x1b\\\x1b[?25l\x1b[1A",
  "\u009b2J\u0085\u2028\u2029",
  "half \ud83d",
  "\udc00 other half",
  "👨‍👩‍👧‍👦 🇩🇪 e\u0301 ｆｕｌｌ ｈ",
  "\ufeffmark",
  "עברית العربية",
  "../../etc/passwd",
  "C:\\temp\\new",
  "__proto__",
  "constructor",
  "toString",
  "   ",
  " led and trailed ",
  ",,,",
  "/".repeat(200),
  "a/b.c,d",
  "null",
  "NaN",
  "–",
];

/** A text that someone may call anything. */
export function hostileText(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...hostileNames.filter((name) => name.length < 1000), ...MORE_NAMES) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileNames.filter((name) => name.length >= 1000)) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
    {
      weight: 2,
      arbitrary: fc.array(fc.constantFrom(..."\x1b\n\r\t\0\x9b[]()<>&\"'`|\\*_#@=+-~:/. \u202e\u200b"), {
        maxLength: 20,
      })
        .map((characters) => characters.join("")),
    },
  );
}

/** A result that the schema allows, with hostile names in every place that takes one. */
export function hostileResult(): fc.Arbitrary<Result> {
  return arbitraryOf(resultSchema).map((value) => {
    const drawn = resultSchema.parse(value);
    // Mostly one of the variants is the baseline
    const first = drawn.variants[0]?.name;
    return first === undefined || first.length % 5 === 4 ? drawn : { ...drawn, baseline: first };
  });
}

/** The result with all its names replaced: equal names by equal ones, others in turn by those given. */
export function renamed(result: Result, names: readonly string[]): Result {
  const given = new Map<string, string>();
  const rename = (name: string) => {
    const own = given.get(name) ?? names[given.size % names.length]!;
    given.set(name, own);
    return own;
  };
  return resultSchema.parse(mapTexts(resultSchema, result, rename));
}

/** A dry run with hostile names. */
export function hostileDryRun(): fc.Arbitrary<DryRun> {
  const count = fc.nat(1e9);
  const variant = fc.record({
    name: hostileText(),
    config: arbitraryOf(variantSchema.shape.config).map((config) => variantSchema.shape.config.parse(config)),
    parameters: fc.option(count),
    flops: fc.option(fc.record({ forward: count, backward: count, update: count })),
    memory: fc.option(arbitraryOf(memorySchema).map((memory) => memorySchema.parse(memory))),
    exact: fc.constant(null),
    inputShape: fc.option(fc.array(count, { maxLength: 4 })),
    error: fc.option(hostileText()),
  });
  return fc.record({
    scenario: hostileText(),
    baseline: hostileText(),
    adapter: fc.option(hostileText()),
    adapted: fc.option(arbitraryOf(adaptedSchema).map((adapted) => adaptedSchema.parse(adapted))),
    ranks: fc.option(fc.integer({ min: 1, max: 64 })),
    resident: fc.option(fc.record({ bytes: count, secondArm: fc.boolean() })),
    variants: fc.array(variant, { maxLength: 3 }),
    error: fc.option(hostileText()),
  });
}

/** Profiled steps whose tracks, spans and counters have hostile names. */
export function hostileTimeline(): fc.Arbitrary<Timeline> {
  const time = fc.double({ min: 0, max: 1e6, noNaN: true });
  const point = fc.record({ track: hostileText(), time });
  return fc.record({
    variant: hostileText(),
    spans: fc.array(
      fc.record({
        track: hostileText(),
        name: hostileText(),
        start: time,
        end: time,
        args: fc.dictionary(hostileText(), hostileText(), { maxKeys: 2, noNullPrototype: true }),
      }),
      { maxLength: 8 },
    ),
    counters: fc.array(fc.record({ counter: hostileText(), time, value: fc.double() }), { maxLength: 4 }),
    flows: fc.array(fc.record({ name: hostileText(), from: point, to: point }), { maxLength: 4 }),
  });
}

/** The value with every text replaced that the schema leaves free. */
function mapTexts(schema: z.core.$ZodType, value: unknown, map: (text: string) => string): unknown {
  if (value === null || value === undefined) return value;
  if (
    schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault
  ) {
    return mapTexts(schema.unwrap(), value, map);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((member) => mapTexts(schema.element, member, map));
  }
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, mapTexts(schema.shape[key]!, member, map)]),
    );
  }
  return typeof value === "string" && schema instanceof z.ZodString && schema.safeParse("\x1b<").success
    ? map(value)
    : value;
}

/**
 * Values that `schema` allows. Texts are hostile, lists short, numbers of any size up to 10^12.
 *
 * @throws {TypeError} A kind of schema that results have not had so far.
 */
function arbitraryOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) {
    return fc.record(Object.fromEntries(Object.entries(schema.shape).map(([key, own]) => [key, arbitraryOf(own)])));
  }
  if (schema instanceof z.ZodArray) {
    const minLength = schema.def.checks?.length === undefined || schema.def.checks.length === 0 ? 0 : 1;
    return fc.array(arbitraryOf(schema.element), { minLength, maxLength: 3 });
  }
  if (schema instanceof z.ZodNullable) return fc.option(arbitraryOf(schema.unwrap()), { freq: 6 });
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault) {
    return arbitraryOf(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(arbitraryOf));
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodTuple) return fc.tuple(...schema.def.items.map(arbitraryOf));
  if (schema instanceof z.ZodRecord) return dictionaryOf(schema);
  if (schema instanceof z.ZodNumber) return numberOf(schema);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodTemplateLiteral) return hostileText().map((text) => `${text || "x"}/s`);
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return stringOf(schema);
  if (schema instanceof z.ZodLazy) return json();
  throw new TypeError(`No arbitrary for a schema of type ${schema._zod.def.type}`);
}

function dictionaryOf(schema: z.ZodRecord): fc.Arbitrary<unknown> {
  // A record of names from a list has all of them, unless it is a partial one
  if (schema.keyType instanceof z.ZodEnum && !schema.safeParse({}).success) {
    const value = arbitraryOf(schema.valueType);
    return fc.record(Object.fromEntries(schema.keyType.options.map((name) => [name, value])));
  }
  return fc.dictionary(arbitraryOf(schema.keyType).map(String), arbitraryOf(schema.valueType), {
    maxKeys: 3,
    noNullPrototype: true,
  });
}

function numberOf(schema: z.ZodNumber): fc.Arbitrary<number> {
  const [least, most] = [schema.minValue ?? -Infinity, schema.maxValue ?? Infinity];
  const [min, max] = [Math.max(least, -1e12), Math.min(most, 1e12)];
  const allowed = (value: number) => schema.safeParse(value).success;
  const edges = [min, 0, 1, 1e-12, 0.004999, 0.9995, 1.05, 9.995, 99.95, 999_999, max].filter(allowed);
  const any = schema.format === "safeint"
    ? fc.integer({ min, max })
    : fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
  return fc.oneof(fc.constantFrom(...edges), any.filter(allowed));
}

/** Texts with a format of their own are given in that. */
function stringOf(schema: z.ZodString | z.ZodStringFormat): fc.Arbitrary<string> {
  const hash = "0".repeat(64);
  return schema.safeParse("\x1b<").success ? hostileText() : fc.constantFrom(
    ...[hash, hash.slice(0, 12), "2026-01-01T00:00:00.000Z", "2026-01-01", "x", "forward", "update"].filter((text) =>
      schema.safeParse(text).success
    ),
  );
}

function json(): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(hostileText(), fc.integer(), fc.boolean(), fc.constant(null));
  const list = fc.array(leaf, { maxLength: 3 });
  const nested = fc.dictionary(hostileText(), leaf, { maxKeys: 3, noNullPrototype: true });
  return fc.oneof(leaf, list, nested);
}
