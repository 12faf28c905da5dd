/** The package from its tarball, unpacked and from a registry, in projects that have nothing else of Tacho. */
import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import config from "../deno.json" with { type: "json" };
import { packNpm } from "./npm.ts";
import { copyNpmCache } from "./support/npm_cache.ts";
import { type NpmRegistry, serveNpmPackage } from "./support/npm_registry.ts";

const SCRIPT = `
import { crossEntropy, flatten, linear, run, scenario, sequential, sgd, syntheticImages, transforms as t } from "@tacho/tacho";

const halved = t.map(({ data }) => Float32Array.from(data, (value) => value / 2), { output: { dtype: "f32" } });

export default scenario({
  name: "packed",
  model: sequential(flatten(), linear(4)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64, transforms: [halved] }),
  loader: { batchSize: 8, numWorkers: 2 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, opRounds: 1, aa: false },
});

if (import.meta.main) await run();
`;

/** Imports every entry point, and uses the types of each. */
const ENTRIES = `
import { type Result, TachoError } from "@tacho/tacho";
import { type DisplayedResult, displayed } from "@tacho/tacho/jupyter";

export const show: (result: Result) => DisplayedResult = displayed;
console.log(typeof show, TachoError.name);
`;

const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-package-" }));
const tarball = join(place, `tacho-${config.version}.tgz`);
/** The page that tells users how to install the package. */
const page = await Deno.readTextFile(new URL("../docs/guide/project.md", import.meta.url));
const env = {
  // Its file .npmrc names the registry
  HOME: join(place, "home"),
  DENO_DIR: join(place, "deno"),
  DENO_NO_UPDATE_CHECK: "1",
  NO_COLOR: "1",
  TACHO_CACHE: Deno.env.get("TACHO_CACHE") ?? join(place, "cache"),
  TACHO_STORE: join(place, "store"),
};

let registry: NpmRegistry;

Deno.test.beforeAll(async () => {
  await packNpm(tarball);
  const lock = JSON.parse(await Deno.readTextFile(new URL("../deno.lock", import.meta.url))) as { npm: object };
  await copyNpmCache(Object.keys(lock.npm), env.DENO_DIR);
  registry = await serveNpmPackage(tarball);
  await write("home/.npmrc", registry.npmrc);
});

Deno.test.afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await Deno.remove(place, { recursive: true });
});

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(join(place, path, ".."), { recursive: true });
  await Deno.writeTextFile(join(place, path), text);
}

/** Returns text that is a line of the page, up to its comment. */
function documented(line: string): string {
  assert(new RegExp(`^${RegExp.escape(line)}( +#.*)?$`, "m").test(page), `docs/guide/project.md lacks: ${line}`);
  return line;
}

/** Runs a command in a project, which has its own folder of installed commands, and returns what it prints. */
async function sh(project: string, command: string): Promise<string> {
  const installed = join(place, project, "installed");
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", command],
    cwd: join(place, project),
    env: { ...env, DENO_INSTALL_ROOT: installed, PATH: [join(installed, "bin"), Deno.env.get("PATH")].join(delimiter) },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, `${command}\n${text}${new TextDecoder().decode(stderr)}`);
  return text;
}

Deno.test("the package has the entry points, and no tests, benchmarks or pictures", async () => {
  const files = (await sh(".", `tar tzf ${tarball}`)).split("\n");
  for (const file of ["mod", "jupyter", "scripts/tacho"]) {
    for (const ending of ["js", "d.ts"]) assert(files.includes(`package/${file}.${ending}`), `${file}.${ending}`);
  }
  assert.deepEqual(files.filter((file) => /^package\/(tests|bench|docs|examples)\/|\.png$|[^d]\.ts$/.test(file)), []);
});

Deno.test("an unpacked package runs a scenario with workers, transforms and a report, and is installed as tacho", async () => {
  await write("unpacked/packed.ts", SCRIPT);
  await write("unpacked/deno.json", documented('{ "imports": { "@tacho/tacho": "./tacho/mod.js" } }'));
  await sh("unpacked", documented("mkdir tacho"));
  await sh("unpacked", documented(`tar xzf ../tacho-${config.version}.tgz -C tacho --strip-components 1`));
  await sh("unpacked", "deno run -A packed.ts --report out --quiet");
  assert((await Deno.stat(join(place, "unpacked/out/report.html"))).size > 100_000);
  await sh("unpacked", documented("deno install -g -A -n tacho tacho/scripts/tacho.js"));
  assert.match(await sh("unpacked", "tacho verify last"), /^\S+ +\d+ +identical$/m);
  await sh("unpacked", "tacho init made");
  const { imports } = JSON.parse(await Deno.readTextFile(join(place, "unpacked/made/deno.json")));
  assert.equal(imports["@tacho/tacho"], "../tacho/mod.js");
  // As npm starts it: npx tacho
  assert.equal(await sh("unpacked", "tacho/scripts/tacho.js --version"), `${config.version}\n`);
});

Deno.test("deno add takes the package from a registry, with types, and its runs are kept and repeated", async () => {
  await write("added/packed.ts", SCRIPT);
  await write("added/entries.ts", ENTRIES);
  await sh("added", documented("deno add npm:@tacho/tacho"));
  assert.equal(await sh("added", "deno run -A --check entries.ts"), "function TachoError\n");
  await sh("added", "deno run -A packed.ts --quiet");
  // Neither needs the project
  await Deno.mkdir(join(place, "elsewhere"));
  const tacho = "deno run -A npm:@tacho/tacho/cli";
  assert.match(await sh("elsewhere", `${tacho} verify last`), /^\S+ +\d+ +identical$/m);
  // Each adapter is opened by a process that runs a module of the package
  const { routes } = JSON.parse(await sh("elsewhere", `${tacho} doctor --json`)) as { routes: { failure: unknown }[] };
  assert.equal(routes[0]!.failure, null);
  await sh("added", `${tacho} lock packed.ts -o ../elsewhere/packed.lock.json`);
  assert.match(await sh("elsewhere", `${tacho} repeat packed.lock.json --quiet`), /^packed · model · 68 parameters/m);
});

Deno.test("deno install -g takes tacho from a registry, which runs scripts outside a project", async () => {
  await write("lone/packed.ts", SCRIPT);
  await sh("lone", documented("deno install -g -A npm:@tacho/tacho"));
  await sh("lone", "tacho run packed.ts --quiet");
  assert.match(await sh("lone", "tacho verify last"), /^\S+ +\d+ +identical$/m);
  await sh("lone", "tacho init made");
  const { imports } = JSON.parse(await Deno.readTextFile(join(place, "lone/made/deno.json")));
  assert.match(imports["@tacho/tacho"], /^npm:@tacho\/tacho@\^\d/);
});
