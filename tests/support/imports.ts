/**
 * Imports between the project's files, as reported by `deno info`.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { tempFolder } from "./temp_folder.ts";

export interface Import {
  /** Path relative to the root. */
  readonly file: string;
  /** `dynamic` files are loaded by `import()`, `type` files not at all. */
  readonly kind: "code" | "dynamic" | "type";
}

/** Imports of each file within the project; paths are relative to its root. */
export type Imports = ReadonlyMap<string, readonly Import[]>;

interface Module {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly type?: { readonly specifier?: string };
    readonly isDynamic?: boolean;
  }[];
}

/**
 * Loads the imports of files and of the files that they import.
 *
 * @param entries files, and folders, which include all of their TypeScript files
 */
export async function loadImports(root: string, entries: readonly string[]): Promise<Imports> {
  const files = entries.flatMap((entry) => filesOf(root, entry));
  using temporary = tempFolder();
  const folder = temporary.path;
  const start = join(folder, "all.ts");
  await Deno.writeTextFile(start, files.map((file) => `import ${JSON.stringify(urlOf(root, file))};\n`).join(""));
  const modules = (await info(root, start)).filter(({ specifier }) => specifier !== pathToFileURL(start).href);
  const broken = modules.filter(({ error }) => error !== undefined);
  if (broken.length > 0) throw new Error(broken.map(({ specifier, error }) => `${specifier}: ${error}`).join("\n"));
  const prefix = urlOf(root, "");
  return new Map(
    modules.filter(({ specifier }) => specifier.startsWith(prefix)).map((module) => [
      nameOf(module.specifier, root),
      importsOf(module).filter(({ file }) => file.startsWith(prefix))
        .map(({ file, kind }) => ({ file: nameOf(file, root), kind })),
    ]),
  );
}

function urlOf(root: string, file: string): string {
  return pathToFileURL(join(root, "/")).href + file;
}

function nameOf(url: string, root: string): string {
  return fileURLToPath(url).slice(join(root, "/").length);
}

function filesOf(root: string, entry: string): string[] {
  if (entry.endsWith(".ts")) return [entry];
  return [...Deno.readDirSync(join(root, entry))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesOf(root, `${entry}/${name}`) : name.endsWith(".ts") ? [`${entry}/${name}`] : []
  );
}

async function info(root: string, file: string): Promise<readonly Module[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--lock", join(root, "tests", "deno.lock"), "--config", join(root, "deno.json"), file],
    cwd: root,
    env: { DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr));
  return JSON.parse(decoder.decode(stdout)).modules;
}

function importsOf({ dependencies = [] }: Module): Import[] {
  return dependencies.flatMap(({ code, type, isDynamic = false }) => {
    const found: Import[] = [];
    if (code?.specifier !== undefined) found.push({ file: code.specifier, kind: isDynamic ? "dynamic" : "code" });
    if (type?.specifier !== undefined) found.push({ file: type.specifier, kind: "type" });
    return found;
  });
}

/** Returns the groups of files that import each other, directly or through others (R. Tarjan, 1972). */
export function circles(imports: Imports): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const { file: target } of imports.get(file) ?? []) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file)!, low.get(target)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    const importsItself = imports.get(file)?.some((target) => target.file === file) ?? false;
    if (group.length > 1 || importsItself) found.push(group.sort());
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return found;
}
