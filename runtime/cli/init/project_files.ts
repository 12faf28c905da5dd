import { wrap } from "../../report/wrap.ts";
import type { Files, Template } from "./template.ts";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { entryUrl, packageOfCopy } from "../../store/tacho_files.ts";

/**
 * Returns all files of a new project.
 *
 * @param tacho specifier of Tacho for the import map
 */
export function projectFiles(template: Template, tacho: string): Files {
  return {
    ...template.files,
    "deno.json": config(template, tacho),
    ".gitignore": IGNORED.map((line) => `${line}\n`).join(""),
    "README.md": readme(template),
  };
}

/** Columns of generated prose: the default of `deno fmt`. */
const WIDTH = 80;

/** Generated folders: reports, and packages where `nodeModulesDir` is set. */
const IGNORED = ["/out/", "/report-*/", "/paper-*/", "/node_modules/"];

function config({ script, args }: Template, tacho: string): string {
  const tasks = {
    start: `deno run -A ${script} ${args}`.trimEnd(),
    test: "deno test -A --no-check",
    check: "deno check",
  };
  return `${JSON.stringify({ imports: { "@tacho/tacho": tacho }, tasks }, null, 2)}\n`;
}

function readme({ name, summary, script, about }: Template): string {
  return `# ${name}: ${summary}

\`\`\`sh
deno task start                # runs the scenario and compares its variants
deno task test                 # runs the tests
\`\`\`

${wrap(about, WIDTH, 0).join("\n")}

\`\`\`sh
deno task start --rounds 16    # measures longer, for narrower intervals
deno task start --help         # lists the settings of ${script} and all flags
deno task start --report out   # writes out/report.html
deno task check                # checks the types, which the tests leave out
\`\`\`

Every run is kept: \`tacho runs\` lists them, \`tacho show last\` prints the last.
`;
}

/**
 * Returns the specifier with which a project imports this copy of Tacho: the path of a clone or of an unpacked package,
 * or the version of an installed package.
 *
 * @param root URL of the folder of this copy, with a slash at the end
 * @param folder absolute path of the project
 * @param version version of this copy
 */
export function tachoImport(root: string, folder: string, version: string): string {
  const named = packageOfCopy(root);
  if (named !== null) return `${named}@^${version}`;
  const url = entryUrl(".", root);
  if (url.protocol !== "file:") return url.href;
  const path = relative(folder, fileURLToPath(url));
  if (isAbsolute(path)) return pathToFileURL(path).href; // another drive
  const parts = path.split(sep).map(encodeURIComponent);
  return parts[0] === ".." ? parts.join("/") : `./${parts.join("/")}`;
}
