/** WGSL before the front end: directives, override constants, comments and lines. */
import assert from "node:assert/strict";
import { withoutComments } from "../../runtime/isa/wgsl/blank.ts";
import { codeLines, lineOf } from "../../runtime/isa/wgsl/lines.ts";
import { prepare } from "../../runtime/isa/wgsl/prepare.ts";

Deno.test("directives that the front end lacks are removed and named; lines stay", () => {
  const { code, removed } = prepare(
    "enable f16, subgroups;\nrequires packed_4x8_integer_dot_product;\n// enable x;\nfn f() {}",
  );
  assert.deepEqual(removed, ["enable subgroups", "requires packed_4x8_integer_dot_product"]);
  assert.deepEqual(code.split("\n").map((line) => line.trimEnd()), ["enable f16;", "", "// enable x;", "fn f() {}"]);
});

Deno.test("override constants take the value given by name or ID, or their default, in their type", () => {
  const code = `override N: u32 = 4u; // override M = 1;
@id(7)
override S: f32;
override on = true;
override half = N / 2u;`;
  assert.equal(
    prepare(code, { N: 8, 7: 1, on: false }).code,
    `const N: u32 = u32(8); // override M = 1;

const S: f32 = f32(1.0);
const on = false;
const half = N / 2u;`,
  );
});

Deno.test("an override constant without a value, and a value without one, are named", () => {
  assert.throws(() => prepare("override tile: u32;"), {
    message: "override tile has no value; give it one with --override tile=NUMBER",
  });
  assert.throws(() => prepare("override tile: u32 = 1;", { tiles: 2 }), /--override tiles: .*tile/);
});

Deno.test("comments become spaces of the same length, nested ones as a whole", () => {
  assert.equal(withoutComments("a/* b /* c */\n d */e // f\ng"), "a            \n     e     \ng");
});

Deno.test("a line is found in the deepest loop", () => {
  const lines = codeLines(`var a = x[0];
for (var i = 0u; i < n; i++) {
  a += x[1];
  if (a > 1) { a = x[2]; }
  while (b) { a += x[3]; }
}
a = x[4];`);
  assert.deepEqual(lines.map(({ depth }) => depth), [0, 1, 1, 1, 2, 1, 0]);
  assert.equal(lineOf(lines, /x\[/), 5);
  assert.equal(lineOf(lines, /x\[4\]/, 1), null);
});
