import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { CommandProcess, type CommandStart } from "../../../../runtime/attach/programs/command/command_process.ts";
import type { RunFacts } from "../../../../runtime/attach/programs/command/protocol.ts";

const ignore = Deno.build.os !== "linux";

function startOf(command: string | string[], more: Partial<CommandStart> = {}): CommandStart {
  return {
    ...{ command, shell: ["sh"], setup: null, prepare: null, conclude: null, cleanup: null, input: null },
    ...{ keepStdout: false, line: null, timeout: 60_000, env: {}, cwd: null, interrupted: () => false },
    ...more,
  };
}

/** Runs a command a number of times, and returns its runs and the warning at its end. */
async function runs(count: number, start: CommandStart): Promise<{ runs: RunFacts[]; warning: string | null }> {
  const process = await CommandProcess.start(start);
  try {
    const runs: RunFacts[] = [];
    while (runs.length < count) runs.push(await process.run());
    return { runs, warning: await process.close() };
  } finally {
    await process.close().catch(() => {});
  }
}

Deno.test("each run has the time, memory and status of its own processes", { ignore }, async () => {
  const fill = "head -c 60000000 /dev/zero | tail -c 60000000 >/dev/null; exit 3";
  const [run] = (await runs(1, startOf(fill))).runs;
  equal(run!.status, 3);
  ok(run!.memory! > 60e6 && run!.memory! < 120e6, `${run!.memory}: of tail, which keeps what it reads`);
  ok(run!.user! + run!.system! > 0);
  const [small] = (await runs(1, startOf(["sleep", "0.01"], { shell: null }))).runs;
  ok(small!.memory! < 10e6, `${small!.memory}: not that of the process which starts it`);
  ok(small!.wall >= 10);
  const [killed] = (await runs(1, startOf("kill -9 $$"))).runs;
  equal(killed!.status, 128 + 9);
});

Deno.test("commands around the runs run when hyperfine runs them, in the shell and the folder of the command", {
  ignore,
}, async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "in"), "input\n");
    const say = (word: string) => `echo ${word} >>log`;
    const around = { setup: say("setup"), prepare: say("prepare"), conclude: say("conclude"), cleanup: say("cleanup") };
    const { warning } = await runs(2, startOf("cat >>log", { ...around, cwd: folder, input: join(folder, "in") }));
    const round = ["prepare", "input", "conclude"];
    deepEqual(
      (await Deno.readTextFile(join(folder, "log"))).trim().split("\n"),
      ["setup", ...round, ...round, "cleanup"],
    );
    equal(warning, null);
    await rejects(
      runs(1, startOf("true", { prepare: "echo no >&2; exit 4" })),
      /prepare "echo no >&2; exit 4" ended with status 4. Its last lines on stderr:\n {2}no/,
    );
    match((await runs(1, startOf("true", { cleanup: "exit 5" }))).warning!, /^cleanup "exit 5" ended with status 5/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a command in steps stands still between its blocks, with all its processes", { ignore }, async () => {
  const folder = await Deno.makeTempDir();
  try {
    // The inner shell is a process of its own, as a launcher of ranks has them
    const loop = `i=0; while true; do i=$((i+1)); echo $i >${folder}/count; echo "step $i loss 0.5"; done`;
    const process = await CommandProcess.start(startOf(`sh -c '${loop}'`, { line: "loss (?<loss>.*)" }));
    try {
      const program = await process.step();
      deepEqual((await program.held()).losses, [0.5]);
      for (let block = 0; block < 3; block++) {
        const { times } = await program.run(20);
        equal(times.length, 20);
        ok(times.every((time) => time >= 0));
        const before = await Deno.readTextFile(join(folder, "count"));
        await new Promise((resolve) => setTimeout(resolve, 50));
        equal(await Deno.readTextFile(join(folder, "count")), before);
      }
      await program.close();
    } finally {
      await process.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a command that ends before its steps, or prints no line, is named with the fix", { ignore }, async () => {
  const ended = await CommandProcess.start(startOf("echo step; echo why >&2; exit 2", { line: "^step" }));
  const program = await ended.step();
  await program.held();
  await rejects(program.run(1), /ended with status 2 before the comparison was complete\. Its last lines[^]*why/);
  await ended.close();
  const silent = await CommandProcess.start(startOf("sleep 100", { line: "^step", timeout: 200 }));
  await rejects((await silent.step()).held(), /printed no line that ends a step for 0\.2 s \(--timeout\)/);
  await silent.close();
});
