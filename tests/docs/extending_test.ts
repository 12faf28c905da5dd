/** Adds everything that docs/extending.md defines to a copy of the repository, and uses it. */
import { match, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { type Block, blocksOf } from "./blocks.ts";
import { copyRepository } from "./copy.ts";

const SCENARIO = `
import { flatten, linear, logCosh, run, scenario, schedules, sequential } from "./mod.ts";
import { signSgd, softsign, squares, transforms } from "./mod.ts";

export default scenario({
  name: "extended",
  model: sequential(flatten(), linear(10), softsign()),
  loss: logCosh(),
  optimizer: signSgd(),
  schedule: schedules.inverseRoot({ steps: 5, warmup: 1 }),
  data: squares({ size: 4, length: 64, transforms: [transforms.invert(), transforms.oneHot()] }),
  loader: { batchSize: 8 },
  measure: { steps: 2, skip: 1, rounds: 1, aa: false },
});

if (import.meta.main) await run();
`;

/** Path of the file that a block shows, from the comment on its first line. */
function pathOf({ line, text }: Block): string {
  const path = text.match(/^ ?\/\/ (\S+\.ts)\n/)?.[1];
  if (path === undefined) throw new Error(`docs/extending.md:${line}: expected a path on the first line`);
  return path;
}

/** Inserts the `+` lines of a block behind the line of the file that the block shows before them. */
function patch(source: string, { line, text }: Block): string {
  const lines = source.split("\n");
  let at = -1;
  for (const shown of text.trimEnd().split("\n").slice(1)) {
    if (shown.startsWith("+")) {
      lines.splice(++at, 0, shown.slice(1));
      continue;
    }
    // A list that fits one line is opened first
    at = lines.findIndex((own) => own.startsWith(shown.slice(1)));
    if (at < 0) throw new Error(`docs/extending.md:${line}: no line begins with ${shown.slice(1)}`);
    const head = shown.slice(1);
    if (lines[at] !== head && head.endsWith("[")) lines.splice(at, 1, head, lines[at]!.slice(head.length));
  }
  return lines.join("\n");
}

Deno.test("the definitions of docs/extending.md work after one line in a list each", async () => {
  const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-extending-" }));
  try {
    await copyRepository(place);
    const files: string[] = [];
    for (const block of blocksOf("docs/extending.md")) {
      const file = join(place, pathOf(block));
      files.push(file);
      await Deno.mkdir(dirname(file), { recursive: true });
      const added = block.language === "ts" ? block.text : patch(await Deno.readTextFile(file), block);
      await Deno.writeTextFile(file, added);
    }
    await Deno.writeTextFile(join(place, "extended.ts"), SCENARIO);
    const deno = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args,
        cwd: place,
        env: { TACHO_STORE: join(place, "store"), NO_COLOR: "1" },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      const text = decoder.decode(stdout);
      strictEqual(code, 0, text + decoder.decode(stderr));
      return text;
    };
    await deno("task", "types");
    await deno("check", "--quiet", "extended.ts", ...files);
    const result = JSON.parse(await deno("run", "-A", "--no-check", "extended.ts", "--json", "-"));
    const losses = result.variants[0].losses as number[];
    strictEqual(losses.length >= 3 && losses.every(Number.isFinite), true, String(losses));
    match(await deno("run", "-A", "--no-check", "extended.ts", "--help"), /signSgd/);
    match(await deno("run", "-A", "--no-check", "scripts/tacho.ts", "hello"), /^Hello$/m);
  } finally {
    await Deno.remove(place, { recursive: true });
  }
});
