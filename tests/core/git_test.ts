import assert from "node:assert/strict";
import { join } from "node:path";
import { Checkouts } from "../../runtime/cli/commits/checkouts.ts";
import { gitCommand, gitState } from "../../runtime/core/git.ts";
import { isInstalled } from "../support/is_installed.ts";
import { makeTrapped, nameOf, plainGit, TRAPS } from "../support/git_traps.ts";

const ignore = Deno.build.os === "windows" || !await isInstalled("git");

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({ name: "a folder has the hash of its commit, and a suffix with changes", ignore }, async () => {
  await withFolder(async (folder) => {
    assert.deepEqual(await gitState(folder, true), { git: null, gitDirty: null });
    plainGit(folder, "init", "--quiet");
    assert.deepEqual(await gitState(folder, true), { git: null, gitDirty: null });
    await Deno.writeTextFile(join(folder, "a"), "1");
    plainGit(folder, "add", "a");
    plainGit(folder, "commit", "--quiet", "--message", "one");
    const hash = plainGit(folder, "rev-parse", "HEAD").slice(0, 12);
    await Deno.writeTextFile(join(folder, "new"), "");
    await Deno.utime(join(folder, "a"), 1, 1);
    assert.deepEqual(await gitState(folder, true), { git: hash, gitDirty: false });
    await Deno.writeTextFile(join(folder, "a"), "2");
    assert.deepEqual(await gitState(folder, true), { git: `${hash}-dirty`, gitDirty: true });
    assert.deepEqual(await gitState(folder, false), { git: hash, gitDirty: null });
  });
});

Deno.test({ name: "git starts no program that a repository names", ignore }, async () => {
  for (const traps of [...Object.keys(TRAPS).map((name) => [name]), Object.keys(TRAPS)]) {
    await withFolder(async (place) => {
      const { folder, bare, caught } = makeTrapped(place, traps);
      for (const cwd of [folder, bare, join(folder, "inner")]) {
        for (const changes of [true, false]) await gitState(cwd, changes);
      }
      // A trap may make a checkout fail
      const failure = await checkOut(folder).then(() => null, (error: Error) => error.message);
      assert.deepEqual(caught(), [], `${traps}: ${failure}`);
    });
  }
});

async function checkOut(folder: string): Promise<void> {
  await using checkouts = await Checkouts.open(folder);
  await checkouts.add("main");
}

Deno.test({ name: "the traps of this test catch a plain git", ignore }, async () => {
  await withFolder(async (place) => {
    const all: string[] = [];
    for (const [i, trap] of Object.keys(TRAPS).entries()) {
      const within = join(place, String(i));
      await Deno.mkdir(within);
      const { folder, bare, caught } = makeTrapped(within, [trap]);
      const plain = (cwd: string, ...args: string[]) =>
        new Deno.Command("git", { args, cwd, stdin: "null" }).outputSync();
      plain(folder, "describe", "--always", "--dirty");
      plain(bare, "status");
      plain(folder, "log", "-1");
      plain(folder, "worktree", "add", "--detach", join(within, "other"), "HEAD");
      if (caught().includes(nameOf(trap))) all.push(trap);
    }
    // The others depend on the version of git
    const least = [
      "fsmonitor",
      "hooks",
      "filter",
      "process",
      "filter with =",
      "filter of worktrees",
      "signature",
      "fetch",
    ];
    assert.deepEqual(least.filter((trap) => !all.includes(trap)), []);
  });
});

Deno.test({ name: "filters of the user stay, and those of a repository give way", ignore }, async () => {
  await withFolder(async (place) => {
    const { folder } = makeTrapped(place, []);
    const config = join(place, "user");
    await Deno.writeTextFile(config, '[filter "x"]\n clean = "cat; printf ed"\n');
    const { stdout } = await gitCommand(["config", "--get", "core.fsmonitor"], folder).output();
    assert.equal(new TextDecoder().decode(stdout), "false\n");
    for (const name of ["a.txt", "b.txt"]) await Deno.writeTextFile(join(folder, name), "1");
    Deno.env.set("GIT_CONFIG_GLOBAL", config);
    try {
      await Deno.utime(join(folder, "a.txt"), 1, 1);
      assert.equal((await gitState(folder, true)).gitDirty, true); // the filter has another text
      plainGit(folder, "config", "filter.x.clean", "cat; printf ed");
      assert.equal((await gitState(folder, true)).gitDirty, false);
    } finally {
      Deno.env.delete("GIT_CONFIG_GLOBAL");
    }
  });
});

Deno.test({ name: "a repository that makes git wait is left", ignore }, async () => {
  await withFolder(async (folder) => {
    plainGit(folder, "init", "--quiet");
    assert((await new Deno.Command("mkfifo", { args: [join(folder, "pipe")] }).output()).success);
    await Deno.writeTextFile(join(folder, ".git/config"), "[include]\n path = ../pipe\n", { append: true });
    const { success } = await gitCommand(["rev-parse", "HEAD"], folder, { signal: AbortSignal.timeout(100) }).output();
    assert.equal(success, false);
  });
});
