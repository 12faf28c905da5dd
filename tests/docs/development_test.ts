/** Compares docs/development.md with the order of imports, the tasks and the packages. */
import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { PACKAGE as PACKAGE_OF_NAGA } from "../../runtime/isa/naga/package.ts";
import { IMPORT_ORDER } from "../support/import_order.ts";
import { ROOT } from "./blocks.ts";

const page = Deno.readTextFileSync(join(ROOT, "docs", "development.md"));
const config = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json"))) as {
  readonly tasks: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
};

/** A package in a specifier, without its version and path. */
const PACKAGE = /npm:((?:@[\w.-]+\/)?[\w.-]+)/g;

Deno.test("the order of imports is that of the structure's test", () => {
  const order = IMPORT_ORDER.map((group) => group.map((folder) => `\`${folder.replace("runtime/", "")}\``).join(", "));
  const [paragraph] = page.split("\n\n").filter((text) => text.startsWith("`core` →"));
  deepStrictEqual(paragraph?.split(/\s*→\s*/).map((text) => text.replaceAll("\n", " ")), order);
});

Deno.test("the page has every task, and no other", () => {
  const named = new Set([...page.matchAll(/deno task ([\w:]+)/g)].map(([, name]) => name!));
  deepStrictEqual([...named].sort(), Object.keys(config.tasks).sort());
});

Deno.test("the table of dependencies has every package that the code names, and no other", () => {
  const table = page.split("\n").filter((line) => line.startsWith("| `npm:")).map((line) => line.split("|")[1]!);
  const packages = join(ROOT, "tests", "packages");
  const sources = [...Deno.readDirSync(packages)].map(({ name }) => Deno.readTextFileSync(join(packages, name)));
  const lazy = /const PACKAGE.*name: "([\w-]+)"/.exec(Deno.readTextFileSync(join(ROOT, "runtime/data/text/bpe.ts")));
  const naga = `npm:${PACKAGE_OF_NAGA}`;
  deepStrictEqual(
    packagesOf(table),
    packagesOf([...Object.values(config.imports), ...sources, `npm:${lazy![1]}`, naga]),
  );
});

function packagesOf(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(PACKAGE)].map(([, name]) => name!)))].sort();
}
