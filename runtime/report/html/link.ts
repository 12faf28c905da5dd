import { dirname, join } from "node:path/posix";
import { stripTypeScriptTypes } from "node:module";

const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*"([^"]+)";[ \t]*$/gm;
const EXPORT = /^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))/gm;
const DOCSTRING = /^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm;
const COMMENT = /^[ \t]*\/\/.*\n/gm;

/**
 * Puts modules together into one script that needs no loader: each becomes a function that returns what it exports.
 * Types are taken out, which leaves the code as it is. Modules may import each other by relative path and by name.
 *
 * @param sources TypeScript by path
 * @param entry path of the module that is run last
 * @throws {Error} A module that is missing, a circle, or a form of import or export that is not known here.
 */
export function linkScript(sources: ReadonlyMap<string, string>, entry: string): string {
  const linked = new Map<string, string | null>();
  const parts: string[] = [];
  const link = (path: string): string => {
    const known = linked.get(path);
    if (known === null) throw new Error(`${path} imports itself through others`);
    if (known !== undefined) return known;
    const source = sources.get(path);
    if (source === undefined) throw new Error(`${path} is imported, but it is not among the sources`);
    linked.set(path, null);
    const code = linkModule(path, source, (target) => link(join(dirname(path), target)));
    const name = `module${parts.length}`;
    parts.push(`const ${name} = (() => {\n${code}})();\n`);
    linked.set(path, name);
    return name;
  };
  link(entry);
  return `"use strict";\n(() => {\n${parts.join("")}})();\n`;
}

function linkModule(path: string, source: string, link: (target: string) => string): string {
  const exported: string[] = [];
  const code = stripTypeScriptTypes(source.replaceAll("\r\n", "\n"))
    .replace(DOCSTRING, "")
    .replace(COMMENT, "")
    .replace(IMPORT, (_, names: string, target: string) => {
      const taken = names.split(",").map((name) => name.trim()).filter((name) => name !== "");
      if (taken.length === 0) return "";
      return `const { ${taken.join(", ").replaceAll(/ as /g, ": ")} } = ${link(target)};`;
    })
    .replace(EXPORT, (_, name: string) => {
      exported.push(name);
      return "";
    })
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{2,}/g, "\n");
  const left = code.match(/^(import|export)\b.*$/m);
  if (left !== null) throw new Error(`${path}: "${left[0]}" is a form that cannot be linked`);
  return `${code.trimStart()}return { ${exported.join(", ")} };\n`;
}
