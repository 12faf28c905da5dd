/** Checks the README and the pages in docs/: TypeScript blocks against types, links against files, tasks against deno.json. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { projectFiles } from "../../runtime/cli/init/project_files.ts";
import { TEMPLATES } from "../../runtime/cli/init/templates.ts";
import { allBlocks, commandsOf, pages, ROOT } from "./blocks.ts";

/** Its blocks are files of the repository: extending_test.ts checks them. */
const EXTENDING = "docs/extending.md";

/** Every entry point with all of its types. */
const ENTRIES = `import * as tacho from "@tacho/tacho";
import * as jupyter from "@tacho/tacho/jupyter";
import "@tacho/tacho/cli";

console.log(tacho, jupyter);
`;

// readme_test.ts checks types with default compiler options
Deno.test("TypeScript blocks, files of tacho init and all of Tacho type-check in a project with the strictest options", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tacho-docs-" });
  try {
    const { compilerOptions: strictest } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
    // A block may define a name for the reader only; deno task check finds unused names in Tacho itself
    const compilerOptions = { ...strictest, noUnusedLocals: false };
    await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ links: [ROOT], compilerOptions }));
    const blocks = allBlocks("ts").filter(({ page }) => page !== EXTENDING);
    ok(blocks.length >= 5, `${blocks.length} blocks`);
    const files = blocks.map(({ page, line }) => `${page.replaceAll("/", "_")}_${line}.ts`);
    files.push("entries.ts");
    await Deno.writeTextFile(join(folder, "entries.ts"), ENTRIES);
    for (const [i, { text }] of blocks.entries()) await Deno.writeTextFile(join(folder, files[i]!), text);
    for (const [file, text] of TEMPLATES.flatMap(({ files }) => Object.entries(files))) {
      if (!file.endsWith(".ts")) continue;
      files.push(file);
      await Deno.writeTextFile(join(folder, file), text);
    }
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", ...files],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    strictEqual(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("links lead to files and headings that exist", () => {
  const broken = pages().flatMap((page) => {
    const text = Deno.readTextFileSync(join(ROOT, page)).replaceAll(/```[\s\S]*?```/g, "");
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!)
      .filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target))
      .map((target) => `${page}: ${target}`);
  });
  deepStrictEqual(broken, []);
});

Deno.test("every task that a page names is in deno.json, here or in a project of tacho init", () => {
  const configs = [Deno.readTextFileSync(join(ROOT, "deno.json")), projectFiles(TEMPLATES[0], "")["deno.json"]!];
  const tasks = Object.assign({}, ...configs.map((text) => JSON.parse(text).tasks as object)) as object;
  const named = pages().flatMap((page) =>
    [...Deno.readTextFileSync(join(ROOT, page)).matchAll(/deno task ([\w:-]+)/g)].map((match) => match[1]!)
  );
  ok(named.length > 0);
  deepStrictEqual(named.filter((name) => !(name in tasks)), []);
});

Deno.test("every script and example that a command names exists", () => {
  const named = allBlocks("sh").flatMap(commandsOf)
    .flatMap((command) => [...command.matchAll(/\b(?:scripts|examples)\/\w+\.(?:ts|sh)\b/g)].map(([path]) => path));
  ok(named.length > 0);
  deepStrictEqual(named.filter((path) => !exists(join(ROOT, path))), []);
});

function leadsSomewhere(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
  if (!exists(file)) return false;
  return anchor === undefined || headings(file).includes(anchor);
}

/** Anchors of a page's headings, as GitHub makes them. */
function headings(file: string): string[] {
  return [...Deno.readTextFileSync(file).matchAll(/^#+ (.+)$/gm)]
    .map((match) => match[1]!.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-"));
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
