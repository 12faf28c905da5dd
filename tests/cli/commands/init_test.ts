/** Creates a project of each template in an empty folder, and does there what its last lines say. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { TACHO_VERSION } from "../../../runtime/experiment/environment.ts";
import { TEMPLATES } from "../../../runtime/cli/init/templates.ts";
import { tachoImport } from "../../../runtime/cli/init/project_files.ts";
import { full } from "../../support/full.ts";
import { tachoIn } from "../tacho_here.ts";
import { Place } from "../tacho_process.ts";

const PATH = [dirname(Deno.execPath()), Deno.env.get("PATH")].join(delimiter);

async function sh(place: Place, script: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-ec", script],
    cwd: place.folder,
    env: { PATH, TACHO_STORE: join(place.folder, "store"), NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  strictEqual(code, 0, text);
  return text;
}

/** Flags that make a run short. A run with the template's own steps and rounds could fail no other way. */
const SHORT = "--steps 2 --rounds 2 --max-time 1 --no-aa measure.maxSkip=2 loader.batchSize=4";

/** Commands that `tacho init` prints, without their comments. */
function commandsOf(text: string): string[] {
  return [...text.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line!.replace(/ +#.*/, ""));
}

/** Template whose project the fast set trains and tests; the training of the others is planned only. */
const TRAINED = "ci";

for (const { name, script, files } of TEMPLATES) {
  const trains = full || name === TRAINED;
  // Its types are checked with those of the pages
  Deno.test(`a project of the template ${name} ${trains ? "runs and tests itself" : "plans its run"}`, async () => {
    await using place = await Place.make();
    const made = await place.here("init", "my project", "--template", name);
    deepStrictEqual([made.code, made.stderr], [0, ""]);
    const [enter, start, test, ...rest] = commandsOf(made.stdout);
    deepStrictEqual([enter, start, test, rest], ["cd 'my project'", "deno task start", "deno task test", []]);
    if (trains) {
      const ran = await sh(place, `${enter}\n${start} ${SHORT}`);
      match(ran, /^variant +images\/s +ratio/m);
      match(ran, /^kept as [0-9a-z]{12} /m);
      match(await sh(place, `${enter}\n${test}`), /^ok \| \d+ passed \| 0 failed/m);
    } else {
      match(await sh(place, `${enter}\n${start} --dry-run`), /^baseline +/m);
    }
    // A user's editor formats and lints the files; they are in order before
    if (trains) await sh(place, `${enter}\ndeno fmt --check --quiet\ndeno lint --quiet`);
    const written = [...walk(join(place.folder, "my project"))].sort();
    deepStrictEqual(written, [...Object.keys(files), ".gitignore", "README.md", "deno.json", "deno.lock"].sort());
    ok(written.includes(script));
  });
}

function* walk(folder: string, prefix = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* walk(join(folder, name), `${prefix}${name}/`);
    else yield prefix + name;
  }
}

Deno.test("init overwrites nothing, and says what is in the way", async () => {
  await using place = await Place.make();
  await place.write("mine/README.md", "mine\n");
  await place.write("mine/file", "");
  const [existing, inFile, unknown] = await Promise.all([
    tachoIn(join(place.folder, "mine"), join(place.folder, "store"), ["init"]),
    place.here("init", "mine/file/project"),
    place.here("init", "new", "--template", "own"),
  ]);
  deepStrictEqual([existing.code, existing.stdout], [2, ""]);
  match(
    existing.stderr,
    /^error: tacho init: README\.md exists in .*, and nothing is overwritten; name a new folder: tacho init my-project\n$/,
  );
  deepStrictEqual([...Deno.readDirSync(join(place.folder, "mine"))].map(({ name }) => name).sort(), [
    "README.md",
    "file",
  ]);
  strictEqual(inFile.code, 2);
  match(inFile.stderr, /^error: tacho init: mine\/file\/project cannot be written \(a part of the path is a file\)/);
  strictEqual(unknown.code, 2);
  match(unknown.stderr, /^error: --template: expected resnet, own-model or ci, got "own"; did you mean/);
  strictEqual(existsSync(join(place.folder, "new")), false);
});

Deno.test("a project imports a clone by its path and a package by its version", () => {
  const url = (path: string) => `file:///home/me/${path}`;
  const project = "/home/me/a/project";
  strictEqual(tachoImport(url("my clone/"), project, "1.2.3"), "../../my%20clone/mod.ts");
  strictEqual(tachoImport(url("a/project/tacho/"), project, "1.2.3"), "./tacho/mod.ts");
  const cached = url(`.cache/deno/npm/registry.example/@tacho/tacho/${TACHO_VERSION}/`);
  for (const root of [cached, url("bin/.tacho/node_modules/@tacho/tacho/")]) {
    strictEqual(tachoImport(root, project, "1.2.3"), "npm:@tacho/tacho@^1.2.3");
  }
  strictEqual(tachoImport("https://jsr.io/@tacho/tacho/1.2.3/", project, "1.2.3"), "jsr:@tacho/tacho@^1.2.3");
  strictEqual(tachoImport("https://example.com/tacho/", project, "1.2.3"), "https://example.com/tacho/mod.ts");
});

function existsSync(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
