import { join } from "node:path";
import { ROOT } from "./blocks.ts";

/** An example in a doc comment. */
export interface DocExample {
  /** Path of the file from the root, and the line of the opening fence. */
  readonly name: string;
  readonly text: string;
}

/** Fenced TypeScript in a doc comment, with the indent and the star before each line. */
const EXAMPLE = /^( *\* )```ts\n((?: *\*.*\n)*?)\1```$/gm;

/** Reads the examples for users in doc comments of the published modules: those that import Tacho by its name. */
export function docExamples(): DocExample[] {
  return ["mod.ts", "attach.ts", "jupyter.ts", ...modules("ops"), ...modules("runtime")].flatMap((file) => {
    const code = Deno.readTextFileSync(join(ROOT, file));
    return [...code.matchAll(EXAMPLE)].map(({ index, 2: block }) => ({
      name: `${file}:${code.slice(0, index).split("\n").length}`,
      text: block!.replaceAll(/^ *\* ?/gm, ""),
    })).filter(({ text }) => text.includes('from "@tacho/tacho"'));
  });
}

function modules(folder: string): string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return modules(path);
    return name.endsWith(".ts") ? [path] : [];
  }).sort();
}
