import { equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fullTest } from "../../support/full.ts";
import { TACHO } from "../commands/tacho_process.ts";

const ignore = Deno.build.os !== "linux";

/** Returns the processes whose command line or environment has a word. */
function processes(word: string): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    if (!Number.isInteger(pid)) return false;
    try {
      return ["cmdline", "environ"].some((file) => Deno.readTextFileSync(join(`/proc/${pid}`, file)).includes(word));
    } catch {
      return false; // it has ended
    }
  });
}

/** Waits until there are processes with a word, or none. */
async function until(there: boolean, word: string): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (processes(word).length > 0 === there) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  ok(false, `processes with ${word}: ${processes(word)}`);
}

/** Ends `tacho versus` while its commands run, or are held, and waits until nothing of them is left. */
async function end(signal: Deno.Signal, args: readonly string[]): Promise<number> {
  const folder = await Deno.makeTempDir();
  const word = `TACHO_TEST_${crypto.randomUUID().replaceAll("-", "")}`;
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", TACHO, "versus", "--no-store", ...args],
      env: { [word]: "1", FOLDER: folder, TMPDIR: folder },
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    while (!(await Deno.stat(join(folder, "runs")).catch(() => null))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill(signal);
    const { code } = await child.status;
    await until(false, word);
    ok(signal === "SIGKILL" || [...Deno.readDirSync(folder)].every(({ name }) => !name.startsWith("tacho-program")));
    return code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A command with processes below it, one of them in a session of its own. */
const TREE = "touch $FOLDER/runs; setsid sleep 1000 & sleep 1000 & sleep 1000";

for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
  fullTest(`after ${signal}, no process of a command in whole runs is left`, async () => {
    const code = await end(signal, [TREE]);
    equal(code, signal === "SIGKILL" ? 137 : 130);
  }, { ignore });

  fullTest(`after ${signal}, no process of a command in steps is left`, async () => {
    const steps =
      `setsid sleep 1000 & while :; do echo step; sleep 0.01; [ -e $FOLDER/a ] && touch $FOLDER/runs; touch $FOLDER/a; done`;
    await end(signal, ["--steps", "stdout:/step/", "-r", "1000", "--processes", "1", steps, steps]);
  }, { ignore });
}

fullTest("after a crash of the process that starts a command, the command is ended, too", async () => {
  const folder = await Deno.makeTempDir();
  const word = `TACHO_TEST_${crypto.randomUUID().replaceAll("-", "")}`;
  try {
    const command = "touch $FOLDER/runs; exec sleep 1000";
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", TACHO, "versus", "--no-store", command],
      env: { [word]: "1", FOLDER: folder },
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    while (!(await Deno.stat(join(folder, "runs")).catch(() => null))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const starter = processes(word).find((pid) => Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes("runner.ts"));
    Deno.kill(starter!, "SIGKILL");
    equal((await child.status).code, 2);
    await until(false, word);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}, { ignore });
