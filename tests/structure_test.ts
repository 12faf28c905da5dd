/** Checks the structure of the code: imports between folders, loading, and uses of op names. */
import assert, { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { parse } from "@babel/parser";
import { ALL_OPS } from "../runtime/nn/all_ops.ts";
import { IMPORT_ORDER } from "./support/import_order.ts";
import { circles, type Imports, loadImports } from "./support/imports.ts";

/** Imports from outside the folders, by importing folder. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  "runtime/core": /^types\/\w+\.d\.ts$/,
  "runtime/store": /^deno\.json$/, // the entry points
  "runtime/experiment": /^deno\.json$/, // the version
};

/** Folders that `import ".../mod.ts"` must not load; only running a script needs them. */
const LOADED_WHEN_USED = [
  "analysis",
  "cluster",
  "compile",
  "engine",
  "experiment",
  "report",
  "serve",
  "shards",
  "store",
]
  .map((name) => `runtime/${name}`);

const root = join(import.meta.dirname!, "..");
const imports: Imports = await loadImports(root, ["mod.ts", "ops", "runtime"]);
const rank = new Map(IMPORT_ORDER.flatMap((group, i) => group.map((folder) => [folder, i] as const)));

function folderOf(file: string): string {
  return file.split("/").slice(0, file.startsWith("runtime/") ? 2 : 1).join("/");
}

Deno.test("every folder has a place in the order", () => {
  const folders = new Set([...imports.keys()].filter((file) => /^(ops|runtime)\//.test(file)).map(folderOf));
  deepStrictEqual([...folders].filter((folder) => !rank.has(folder)), []);
});

// Includes imports of types and dynamic imports.
Deno.test("a folder imports only from earlier folders", () => {
  const wrong: string[] = [];
  for (const [file, targets] of imports) {
    const from = folderOf(file);
    if (!rank.has(from)) continue;
    for (const { file: target } of targets) {
      const to = folderOf(target);
      const right = rank.has(to) ? to === from || rank.get(to)! < rank.get(from)! : ELSEWHERE[from]?.test(target);
      if (!right) wrong.push(`${file} imports ${target}`);
    }
  }
  deepStrictEqual(wrong, []);
});

Deno.test("no imports form a cycle, including imports of types", () => {
  deepStrictEqual(circles(imports), []);
});

/** Returns the files that an import of `file` loads. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const { file: target, kind } of imports.get(file) ?? []) if (kind === "code") loadedBy(target, loaded);
  return loaded;
}

Deno.test("data workers load no packages, so that they start quickly", async () => {
  const files = [...loadedBy("runtime/data/worker.ts")];
  const packages = await Promise.all(files.map(async (file) => {
    const code = await Deno.readTextFile(join(root, file));
    return [...code.matchAll(/^(?:import|export)\s+(?!type\b)(?:[\w*{},\s]+ from )?"([^"]+)";/gm)].map((match) =>
      match[1]!
    )
      .filter((name) => !/^(\.|node:)/.test(name)).map((name) => `${file}: ${name}`);
  }));
  deepStrictEqual(packages.flat(), []);
});

Deno.test("the recorder of other programs loads quickly: nothing but itself, checks of timestamps and medians", () => {
  const foreign = [...loadedBy("runtime/attach/deno/preload.ts")].filter((file) =>
    folderOf(file) !== "runtime/attach" && folderOf(file) !== "runtime/record" && file !== "runtime/core/statistics.ts"
  );
  deepStrictEqual(foreign, []);
});

Deno.test("the recorder's core runs in any realm: it uses no API of Deno or Node, which only the entry points have", async () => {
  const core = [...imports.keys()].filter((file) =>
    /^runtime\/attach\/(?!deno\/|programs\/|browser\/|node[./])/.test(file)
  );
  assert.ok(core.includes("runtime/attach/install.ts"));
  const loaded = new Set(core.flatMap((file) => [...loadedBy(file)]));
  const wrong = await Promise.all([...loaded].map(async (file) => {
    const [found] = HOST.exec(bareCode(await Deno.readTextFile(join(root, file)))) ?? [];
    return found === undefined && !/^runtime\/attach\/(deno|node)\//.test(file) ? [] : [`${file}: ${found}`];
  }));
  deepStrictEqual(wrong.flat(), []);
  const hosted = ["Deno.exit(0)", 'import { openSync } from "node:fs"', "process.exit()", "const { args } = Deno;"];
  deepStrictEqual(hosted.filter((text) => !HOST.test(bareCode(text))), []);
});

Deno.test("mod.ts does not load the folders that only running a script needs", () => {
  const early = [...loadedBy("mod.ts")].filter((file) =>
    LOADED_WHEN_USED.includes(folderOf(file)) || file.startsWith("runtime/trainer/feed/")
  );
  deepStrictEqual(early, []);
});

Deno.test("mod.ts only re-exports", async () => {
  const source = await Deno.readTextFile(join(root, "mod.ts"));
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const statements = code.split(";").map((statement) => statement.trim()).filter((statement) => statement !== "");
  const reexport = /^export (type )?(\*( as \w+)?|\{[^{}]*\}) from "[^"]+"$/;
  const sideEffect = 'import "./runtime/cli/guard.ts"';
  deepStrictEqual(statements.filter((statement) => !reexport.test(statement) && statement !== sideEffect), []);
});

Deno.test("one function starts git, without the programs that a repository names", async () => {
  const starts: string[] = [];
  for (const file of imports.keys()) {
    if (/Command\(\s*["'`]git["'`]/.test(await Deno.readTextFile(join(root, file)))) starts.push(file);
  }
  deepStrictEqual(starts, ["runtime/core/git.ts"]);
});

Deno.test("no file disables the type checker or the ban on any", async () => {
  const pattern = /@ts-(ignore|nocheck|expect-error)|deno-lint-ignore(-file)?(?=.*no-explicit-any|\s*$)/m;
  const wrong: string[] = [];
  for (const file of imports.keys()) {
    if (file.endsWith(".ts") && pattern.test(await Deno.readTextFile(join(root, file)))) wrong.push(file);
  }
  deepStrictEqual(wrong, []);
});

/** Files that print without the command line, by what they print. */
const PRINTERS: Readonly<Record<string, string>> = {
  "runtime/cli/terminal.ts": "escapes what is unsafe",
  "runtime/cli/doctor/adapter_probe.ts": "JSON for the process that started it",
  "runtime/experiment/interrupts/interrupt_worker.ts": "own words, while the main thread is blocked",
  "runtime/isa/serve_lines.ts": "JSON for the process that started it",
  "runtime/attach/deno/open_records.ts": "own words and a path without controls, in the program's process",
  "runtime/attach/programs/served_program.ts": "in the text of a program",
};

Deno.test("all output goes through the module that escapes what a terminal would obey, and JSON through writeJson", async () => {
  const print = /\bconsole\.\w+\(|\bDeno\.std(?:out|err)\.(?:write|writable)|\bprocess\.std(?:out|err)\b/;
  const json = /\bwrite(?:Out|Error)\([^;]*(?:JSON\.stringify|printableJson)\(/;
  const wrong: string[] = [];
  for (const file of imports.keys()) {
    if (!/^(?:runtime|ops)\/.*\.ts$/.test(file) || /\/client\//.test(file) || file in PRINTERS) continue;
    const code = (await Deno.readTextFile(join(root, file))).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    const [found] = print.exec(code) ?? json.exec(code) ?? [];
    if (found !== undefined) wrong.push(`${file}: ${found}`);
  }
  deepStrictEqual(wrong, []);
});

/**
 * Op types with another meaning: `copy` is also a stage of the input pipeline, `elementwise` a role and a fusion, `div` an
 * HTML element, `log` a log file, `round` a part of a measurement.
 */
const OTHER_MEANINGS = new Set(["copy", "elementwise", "div", "log", "round"]);

function tokensOf(code: string): readonly Token[] {
  const { tokens } = parse(code, {
    sourceType: "module",
    plugins: ["typescript", "deferredImportEvaluation"],
    tokens: true,
  });
  return tokens as readonly Token[];
}

/** Returns the string literals of a file and the words of its regular expressions. */
function literalsOf(code: string): string[] {
  return tokensOf(code).flatMap(({ type, value }) =>
    typeof type === "string"
      ? []
      : typeof value === "string" && type.label === "string"
      ? [value]
      : typeof value === "object" && type.label === "regexp"
      ? value.pattern.split(/\W+/)
      : []
  );
}

interface Token {
  readonly start: number;
  readonly end: number;
  /** A name for comments. */
  readonly type: { readonly label?: string } | "CommentBlock" | "CommentLine";
  readonly value?: string | { readonly pattern: string };
}

// Excludes nn/, whose layers have the names of their ops.
// runtime/onnx/ops has the names of ONNX's attributes and their values
Deno.test("no code outside ops/ refers to an op by its type", async () => {
  const types = new Set(ALL_OPS.map(({ type }) => type).filter((type) => !OTHER_MEANINGS.has(type)));
  const files = [...imports.keys()].filter((file) => /^runtime\/(?!nn\/|onnx\/ops\/).*\.ts$/.test(file));
  // In quotes, or between slashes: most files need not be parsed
  const all = [...types].join("|");
  const suspect = new RegExp(`["'\`](?:${all})["'\`]|/[^/\\n]*\\b(?:${all})\\b[^/\\n]*/`);
  const wrong = await Promise.all(files.map(async (file) => {
    const text = await Deno.readTextFile(join(root, file));
    if (!suspect.test(text)) return [];
    const literals = literalsOf(text);
    return literals.filter((literal) => types.has(literal)).map((literal) => `${file}: "${literal}"`);
  }));
  deepStrictEqual(wrong.flat(), []);
});

/** Files that may open files without `core/files.ts`, and why. */
const OPENING: Readonly<Record<string, string>> = {
  "runtime/core/files.ts": "the one place that opens files",
  "runtime/attach/deno/open_records.ts":
    "runs in other programs, loads nothing else, and opens a file that Tacho named",
  "runtime/attach/node/preload.ts": "the same in Node",
  "runtime/cli/bundle/deno_cache.ts": "copies Deno's own cache",
  "runtime/cli/doctor/machine.ts": "tries device files of GPUs, which are no regular files",
  "runtime/store/network_folder.ts": "asks for the type of a file system, and opens nothing",
};

/** Matches direct calls that open files, and ways to get at them under another name. */
const OPENS =
  /Deno\.(?:open|create|readFile|readTextFile|writeFile|writeTextFile|copyFile|truncate)(?:Sync)?\b|Deno\[|=Deno;|["'](?:node:)?fs(?:\/promises)?["']/;

/** Matches names of Deno and Node that pages do not have. */
const HOST = /\bDeno\b|["']node:|\bprocess\b/;

/** Returns the code of a file without comments and blanks. */
function bareCode(code: string): string {
  return tokensOf(code).map(({ type, start, end }) => typeof type === "string" ? "" : code.slice(start, end)).join("");
}

Deno.test("files are opened in one place, which opens no pipe, socket or endless device", async () => {
  const code = [...imports.keys()].filter((file) => file.endsWith(".ts"));
  assert.ok(code.includes("runtime/core/files.ts"));
  const opening = await Promise.all(code.map(async (file) => {
    const text = await Deno.readTextFile(join(root, file));
    return /\b(?:Deno|fs)\b/.test(text) && OPENS.test(bareCode(text)) ? [file] : [];
  }));
  deepStrictEqual(opening.flat().filter((file) => !(file in OPENING)), [], "use runtime/core/files.ts");
  deepStrictEqual(Object.keys(OPENING).filter((file) => !opening.flat().includes(file)), [], "no longer opens files");
  const direct = [
    "Deno.open(path)",
    "Deno . readTextFileSync(path)",
    'import { openSync } from "node:fs"',
    'await import("fs/promises")',
    "const { openSync } = Deno;",
    'Deno["open"](path)',
  ];
  deepStrictEqual(direct.filter((text) => !OPENS.test(bareCode(text))), []);
  assert.ok(!OPENS.test(bareCode("// Deno.open(path)\nDeno.statSync(path)")));
});

Deno.test("the project's lock file has no packages that only tests use, since every script installs from it", () => {
  const read = (name: string) => Deno.readTextFileSync(join(root, name));
  const folder = join(root, "tests", "packages");
  const named = [...Deno.readDirSync(folder)].flatMap(({ name }) =>
    [...read(`tests/packages/${name}`).matchAll(/"npm:((?:@[^/"]+\/)?[^@/"]+)@/g)].map((match) => match[1]!)
  );
  assert.ok(named.length > 0);
  const locked = Object.keys((JSON.parse(read("deno.lock")) as { npm: object }).npm);
  const wrong = named.filter((name) => locked.some((key) => key.startsWith(`${name}@`)));
  deepStrictEqual(wrong, [], "remove them from deno.lock, and run tests by hand with --lock=tests/deno.lock");
});
