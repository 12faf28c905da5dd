import assert from "node:assert/strict";
import { mutated } from "./list.ts";
import { candidatesOf, edited, OPERATOR_NAMES } from "./operators.ts";

/** Returns the texts that an operator makes of a source. */
function made(operator: string, source: string): string[] {
  return candidatesOf(source).filter((candidate) => candidate.operator === operator)
    .map((candidate) => edited(source, candidate));
}

Deno.test("each operator makes its fault, and leaves alone what it does not fit", () => {
  const cases: Record<string, readonly [source: string, expected: readonly string[]]> = {
    sign: ["a + b; `x` + c; -d;", ["a - b; `x` + c; -d;", "a + b; `x` + c; d;"]],
    bound: ["if (a < b) c(a >= b);", ["if (a <= b) c(a >= b);", "if (a < b) c(a > b);"]],
    "off by one": ["f(x, 2); a * 0.5;", ["f(x, 3); a * 0.5;"]],
    "swapped argument": ["f(a, b.c, 1); g(a); h(1, 2);", ["f(b.c, a, 1); g(a); h(1, 2);"]],
    "missing await": ["async () => await f();", ["async () => f();"]],
    "missing release": ["buffer.unmap(); a.b();", ["; a.b();"]],
    "wrong unit": ["const ms = us / 1000 + n / 7;", ["const ms = us + n / 7;"]],
    "unchecked path": ["() => { if (a) return; if (b) c(); };", ["() => { ; if (b) c(); };"]],
    "wrong stride": ["f(y * width + x);", ["f(x * width + y);"]],
    "dropped case": ["a ? b : c; d && e; f ?? g;", ["c; d && e; f ?? g;", "a ? b : c; d; f ?? g;"]],
    "wgsl sign": ["const code = `let a = b + c;\n`;", ["const code = `let a = b - c;\n`;"]],
    "wgsl bound": ["const code = `for (; i < n; i++) {\n`;", ["const code = `for (; i <= n; i++) {\n`;"]],
    "wgsl off by one": ["const code = `let i = 0u;\n`;", ["const code = `let i = 1u;\n`;"]],
    "wgsl wrong stride": ["const code = `let i = y * width + x;\n`;", ["const code = `let i = y + width + x;\n`;"]],
  };
  assert.deepEqual(Object.keys(cases), OPERATOR_NAMES);
  for (const [operator, [source, expected]] of Object.entries(cases)) {
    assert.deepEqual(made(operator, source), expected, operator);
  }
});

Deno.test("types, imports and texts have no faults", () => {
  assert.deepEqual(candidatesOf('import { a } from "a"; type B = 1 | 2; const c: Array<3> = d as 4;'), []);
  assert.deepEqual(candidatesOf("const text = `1 + 1 is ${two}`;"), []);
});

Deno.test("a mutant applies where its text occurs once", () => {
  const mutant = { id: 1, file: "a.ts", operator: "sign", from: "a + b;", to: "a - b;" };
  assert.equal(mutated("x;\na + b;\n", mutant), "x;\na - b;\n");
  assert.equal(mutated("a + b;\na + b;\n", mutant), null);
  assert.equal(mutated("a * b;\n", mutant), null);
});
