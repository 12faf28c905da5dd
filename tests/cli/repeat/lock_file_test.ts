import assert from "node:assert/strict";
import { join } from "node:path";
import { readLock, writeLock } from "../../../runtime/cli/repeat/lock_file.ts";
import type { Recipe } from "../../../runtime/cli/repeat/recipe.ts";
import { InputError } from "../../../runtime/core/errors.ts";
import { sha256 } from "../../../runtime/core/sha256.ts";
import { result, variant } from "../../report/result_fixture.ts";

const text = "import { run } from '../mod.ts';\nawait run(); // ü\n";

const recipe: Recipe = {
  where: "a test",
  trusted: false,
  script: "scripts/mlp.ts",
  modules: [{
    path: "scripts/mlp.ts",
    sha256: sha256(text),
    text,
    imports: { "../mod.ts": "tacho:mod.ts" },
    names: [],
  }],
  args: ["amp=O0,O2"],
  cwd: null,
  started: Date.UTC(2026, 0, 2),
  spec: { tacho: "0.1.0", scenario: "mlp", sha256: sha256(text), seed: 1, baseline: "a", variants: [] },
  environment: result([]).environment,
  pinned: null,
  result: null,
};

/** A lock file with `change` done to its JSON, as text. */
function changed(change: (lock: Record<string, unknown>) => void): string {
  const lock = JSON.parse(writeLock(recipe));
  change(lock);
  return JSON.stringify(lock);
}

async function withFile<T>(
  content: string | Uint8Array<ArrayBuffer>,
  work: (file: string) => T | Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "x.lock.json");
  try {
    await Deno.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content);
    return await work(file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function refuses(content: string | Uint8Array<ArrayBuffer>, message: RegExp): Promise<void> {
  await withFile(content, (file) => {
    assert.throws(() => readLock(file), (error: Error) => {
      assert(error instanceof InputError, error.stack);
      assert(error.message.startsWith(file), error.message);
      assert.match(error.message, message);
      return true;
    });
  });
}

Deno.test("a lock file round-trips with and without a result", async () => {
  for (const measured of [null, result([variant("a")])]) {
    const locked = { ...recipe, result: measured };
    await withFile(writeLock(locked), (file) => {
      assert.deepEqual(readLock(file), { ...locked, where: file });
    });
  }
});

Deno.test("a reformatted lock file is still valid", async () => {
  const compact = JSON.stringify(JSON.parse(writeLock(recipe)));
  await withFile(compact, (file) => assert.equal(readLock(file).modules[0]!.text, text));
});

Deno.test("damaged and foreign files are refused with the reason", async () => {
  const whole = writeLock(recipe);
  await refuses("", /is not JSON/);
  await refuses(whole.slice(0, whole.length / 2), /is not JSON/);
  await refuses(new Uint8Array([0xff, 0xfe, 0, 1, 2]), /is not JSON/);
  await refuses("[".repeat(200_000), /is not JSON|is not a lock file/);
  await refuses("null", /is not a lock file/);
  await refuses('{"schemaVersion":1}', /is not a lock file/);
  await refuses(changed((lock) => lock["format"] = "npm"), /is not a lock file/);
  await refuses(
    changed((lock) => lock["version"] = 3),
    /version 3, and this Tacho reads versions up to 2; update Tacho/,
  );
  await refuses(changed((lock) => lock["version"] = -1), /is not a lock file/);
  await refuses(changed((lock) => delete lock["plan"]), /is damaged[^]*plan/);
  await refuses(changed((lock) => lock["modules"] = []), /is damaged[^]*modules/);
  await refuses(changed((lock) => lock["more"] = 1), /is damaged[^]*more/);
  await refuses(changed((lock) => lock["args"] = ["--steps=1000000"]), /was changed or damaged since it was locked/);
  await refuses(changed((lock) => lock["sha256"] = "0".repeat(64)), /was changed or damaged since it was locked/);
});

Deno.test("the result in a lock file is checked, and a newer one is refused by its version", async () => {
  const withResult = (measured: unknown) => writeLock({ ...recipe, result: measured as Recipe["result"] });
  await refuses(withResult({ ...result([variant("a")]), schemaVersion: 99 }), /schema version 99 .*; update Tacho/);
  await refuses(withResult({ ...result([variant("a")]), more: 1 }), /is damaged[^]*more/);
});

Deno.test("a changed module is named", async () => {
  const script = (lock: Record<string, unknown>) => (lock["modules"] as { text: string; path: string }[])[0]!;
  await refuses(
    changed((lock) => script(lock).text += " "),
    /module "scripts\/mlp\.ts" was changed or damaged: its SHA-256 is [0-9a-f]{12}\.\.\., expected [0-9a-f]{12}\.\.\./,
  );
});

Deno.test("modules outside the folder are refused", async () => {
  const paths = [
    ...["../../etc/passwd", "/etc/passwd", "a/../../b.ts", "..", ".", "a//b.ts", "a/./b.ts", "a/", ""],
    ...["C:\\x.ts", "C:/x.ts", "a\\..\\b.ts", "a\0.ts", "file:x.ts", "x".repeat(2000)],
  ];
  for (const path of paths) {
    const content = changed((lock) => (lock["modules"] as { path: string }[])[0]!.path = path);
    await refuses(content, /would be written outside its folder/);
  }
});

Deno.test("modules that would overwrite each other are refused", async () => {
  const twice = (path: string) =>
    changed((lock) => {
      const modules = lock["modules"] as { path: string }[];
      modules.push({ ...modules[0]!, path });
    });
  await refuses(twice("scripts/mlp.ts"), /contains two modules named "scripts\/mlp\.ts"/);
  await refuses(twice("Scripts/MLP.ts"), /contains two modules named/);
  await refuses(twice("scripts/mlp.ts/x.ts"), /is the folder of another/);
});

Deno.test("a missing file is reported", () => {
  assert.throws(
    () => readLock("/no/such/x.lock.json"),
    /^InputError: \/no\/such\/x\.lock\.json: cannot be read/,
  );
});
