/** Which lock file of packages a run records. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256 } from "../../runtime/core/sha256.ts";
import { projectLockHash } from "../../runtime/store/packages_lock.ts";
import { openProject } from "../../runtime/store/script_project.ts";
import { tachoLock } from "../../runtime/store/tacho_files.ts";

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(folder, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}

Deno.test("the lock file of a script is beside its configuration, or that of its workspace", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tacho-lock-" });
  try {
    await write(folder, {
      "own/deno.json": "{}",
      "own/deno.lock": "own",
      "own/scripts/deno.lock": "a lock file without a configuration",
      "whole/deno.json": '{ "workspace": ["./member"] }',
      "whole/deno.lock": "whole",
      "whole/member/deno.json": "{}",
      "own/unlocked/package.json": "{}",
    });
    const hash = (path: string) => projectLockHash(join(folder, path));
    assert.equal(await hash("own/scripts"), sha256("own"));
    assert.equal(await hash("whole/member"), sha256("whole"));
    assert.equal(await hash("own/unlocked"), null);
    await write(folder, { "whole/member/deno.lock": "member" });
    assert.equal(await hash("whole/member"), sha256("member"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a script without a project has the versions of Tacho's lock file, wherever it is started", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tacho-lock-" });
  try {
    assert.equal(projectLockHash(folder), null);
    await using project = await openProject(join(folder, "lone.ts"));
    assert.equal(project.lockHash, sha256(await tachoLock()));
    await write(folder, { "deno.json": "{}", "deno.lock": "own" });
    await using own = await openProject(join(folder, "lone.ts"));
    assert.deepEqual([own.lockHash, own.lockFlags], [sha256("own"), []]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
