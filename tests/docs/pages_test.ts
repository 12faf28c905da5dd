/** Checks the README and the pages in docs/: links against files, tasks against deno.json. Others check types and commands. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { dirname, join } from "node:path";
import { projectFiles } from "../../runtime/cli/init/project_files.ts";
import { TEMPLATES } from "../../runtime/cli/init/templates.ts";
import { allBlocks, commandsOf, pages, ROOT } from "./blocks.ts";

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
