import { deepStrictEqual, throws } from "node:assert/strict";
import { linkScript } from "../../../runtime/report/html/link.ts";

/** Runs a linked script and gives what it put into `out`. */
function run(files: Record<string, string>, entry = "main.ts"): unknown[] {
  const out: unknown[] = [];
  new Function("out", linkScript(new Map(Object.entries(files)), entry))(out);
  return out;
}

const declared = "declare const out: unknown[];\n";

Deno.test("modules see what they import, under the name they give it", () => {
  const out = run({
    "main.ts": `import { add as plus, type Pair } from "./lib/sum.ts";\n${declared}
      const pair: Pair = [1, 2];\nout.push(plus(pair));\n`,
    "lib/sum.ts": `import { START } from "../start.ts";\nexport type Pair = [number, number];\n
      const hidden = 10;\nexport function add([a, b]: Pair): number { return a + b + START + hidden; }\n`,
    "start.ts": "export const START = 100;\n",
  });
  deepStrictEqual(out, [113]);
});

Deno.test("a module runs once, before those that import it, and names do not clash", () => {
  const out = run({
    "main.ts":
      `import { a } from "./a.ts";\nimport { b } from "./b.ts";\n${declared}const name = "main";\nout.push(name, a, b);\n`,
    "a.ts": `import { shared } from "./shared.ts";\nconst name = "a";\nexport const a = name + shared;\n`,
    "b.ts": `import { shared } from "./shared.ts";\nconst name = "b";\nexport const b = name + shared;\n`,
    "shared.ts": `${declared}out.push("shared");\nexport const shared = "!";\n`,
  });
  deepStrictEqual(out, ["shared", "main", "a!", "b!"]);
});

Deno.test("ends of lines may be those of Windows", () => {
  const out = run({
    "main.ts": `import { a } from "./a.ts";\r\n${declared}\r\n/**\r\n * Words.\r\n */\r\nout.push(a);\r\n`,
    "a.ts": "export const a: number = 1;\r\n",
  });
  deepStrictEqual(out, [1]);
});

Deno.test("what cannot be linked is refused by name", () => {
  const link = (files: Record<string, string>) => () => linkScript(new Map(Object.entries(files)), "main.ts");
  throws(link({ "main.ts": `import { a } from "./gone.ts";\na();\n` }), /gone\.ts is imported, but it is not among/);
  throws(link({ "main.ts": `import * as a from "./a.ts";\na.b();\n`, "a.ts": "" }), /main\.ts: "import \* as a/);
  throws(link({ "main.ts": "export default 1;\n" }), /main\.ts: "export default/);
  throws(
    link({ "main.ts": `import { a } from "./a.ts";\na();\n`, "a.ts": `import { b } from "./main.ts";\nb();\n` }),
    /main\.ts imports itself/,
  );
});
