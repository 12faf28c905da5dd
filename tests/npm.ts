/**
 * Builds the npm package, a tarball with JavaScript and declarations:
 *
 *     deno task npm            # tacho-VERSION.tgz in the current folder
 *     deno task npm out.tgz
 *
 * `deno pack` compiles the modules that are published. It leaves out the configuration, which Tacho reads to know its
 * version, its entry points and its packages.
 *
 * @module
 */
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import config from "../deno.json" with { type: "json" };
import { isFile } from "../runtime/core/files.ts";

const root = join(import.meta.dirname!, "..");

/** Writes the package to `file`. */
export async function packNpm(file: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tacho-npm-" });
  try {
    const packed = join(folder, "packed.tgz");
    await succeed(Deno.execPath(), ["pack", "--quiet", "--allow-dirty", "--no-source-maps", "--output", packed], root);
    await succeed("tar", ["xzf", packed], folder);
    await compileRest(join(folder, "package"));
    await resolveCompiled(join(folder, "package"));
    await declareTypes(join(folder, "package"));
    await makeExecutable(join(folder, "package", "scripts/tacho.js"));
    await Deno.copyFile(join(root, "deno.lock"), join(folder, "package", "deno.lock"));
    await Deno.writeTextFile(join(folder, "package", "deno.json"), `${JSON.stringify(packedConfig(), null, 2)}\n`);
    const manifest = join(folder, "package", "package.json");
    const described = JSON.parse(await Deno.readTextFile(manifest));
    described.bin = { tacho: described.exports["./cli"].default };
    described.dependencies = exactVersions(
      Object.keys(described.dependencies).filter((name) => !name.startsWith("@std/")),
    );
    await Deno.writeTextFile(manifest, `${JSON.stringify(described, null, 2)}\n`);
    await succeed("tar", ["czf", packed, "package"], folder);
    await Deno.copyFile(packed, file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Compiles the modules that `deno pack` has copied as they are: threads, which no module imports. */
async function compileRest(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await compileRest(path);
    else if (name.endsWith(".ts") && !name.endsWith(".d.ts")) {
      const code = stripTypeScriptTypes(await Deno.readTextFile(path));
      const compiled = code.replaceAll(/((?:from|import|import\(|resolve\()\s*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"');
      await Deno.writeTextFile(path.replace(/\.ts$/, ".js"), compiled);
      await Deno.remove(path);
    }
  }
}

/** Imports that the configuration maps to a package of another name: the standard library. */
const MAPPED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(config.imports).map(([name, specifier]) => [name, specifier.replace(/^npm:(@?[^@]+)@[^/]+/, "$1")])
    .filter(([name, target]) => name !== target),
);

/**
 * Redirects `import.meta.resolve("./thread.ts")` to the compiled module where `deno pack` has not, and imports that the
 * configuration maps to the package that has them, since a package has no import map.
 */
async function resolveCompiled(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await resolveCompiled(path);
    if (!name.endsWith(".js")) continue;
    const code = await Deno.readTextFile(path);
    const redirected = code.replaceAll(/(import\.meta\.resolve\(")(\.[^"]+)\.ts"/g, (written, call, target) => {
      return isFile(join(folder, `${target}.js`)) ? `${call}${target}.js"` : written;
    }).replaceAll(/(from "|import\(")([^".][^"]*)"/g, (_, call, name) => `${call}${MAPPED[name] ?? name}"`);
    if (redirected !== code) await Deno.writeTextFile(path, redirected);
  }
}

/** Names the declarations of each module, for imports by path. */
async function declareTypes(folder: string): Promise<void> {
  const names = new Set([...Deno.readDirSync(folder)].map(({ name }) => name));
  for (const name of names) {
    const path = join(folder, name);
    if ((await Deno.stat(path)).isDirectory) await declareTypes(path);
    const types = name.replace(/\.js$/, ".d.ts");
    if (types === name || !names.has(types)) continue;
    await Deno.writeTextFile(path, `// @ts-self-types="./${types}"\n${await Deno.readTextFile(path)}`);
  }
}

/** Lets a shell start a module with Deno: `npx tacho`. */
async function makeExecutable(file: string): Promise<void> {
  await Deno.writeTextFile(file, `#!/usr/bin/env -S deno run -A\n${await Deno.readTextFile(file)}`);
  await Deno.chmod(file, 0o755);
}

/** Returns the configuration with which the package finds its entry points and packages. */
function packedConfig() {
  const { name, version, license, imports, nodeModulesDir } = config;
  const entries = Object.entries(config.exports).map(([entry, path]) => [entry, path.replace(/\.ts$/, ".js")]);
  const packages = Object.entries(imports).map(([name, specifier]) =>
    MAPPED[name] === undefined ? [name, specifier] : specifier.match(/^npm:(@?[^@]+)@[^/]+/)!.slice(0, 2).reverse()
  );
  return {
    name,
    version,
    license,
    exports: Object.fromEntries(entries),
    imports: Object.fromEntries(packages),
    nodeModulesDir,
  };
}

/** Packages that others expect beside them, or that modules import by another name. */
const PEERS = ["commander", "deno-std"];

/** Returns the versions that Tacho is tested with: those of the configuration. */
function exactVersions(names: readonly string[]): Record<string, string> {
  const versions = new Map(
    Object.values(config.imports).map((specifier) => {
      const [, name, version] = specifier.match(/^npm:(@?[^@]+)@([^/]+)/)!;
      return [name!, version!] as const;
    }),
  );
  return Object.fromEntries([...names, ...PEERS].sort().map((name) => [name, versions.get(name)!]));
}

async function succeed(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, stdin: "null" }).output();
  const decoder = new TextDecoder();
  if (!success) {
    throw new Error(`${command} ${args.join(" ")} failed:\n${decoder.decode(stdout)}${decoder.decode(stderr)}`);
  }
}

if (import.meta.main) {
  const file = Deno.args[0] ?? `tacho-${config.version}.tgz`;
  await packNpm(file);
  console.log(file);
}
