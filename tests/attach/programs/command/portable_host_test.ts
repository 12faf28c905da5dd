import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { NO_FILE, portableHost } from "../../../../runtime/attach/programs/command/portable_host.ts";

Deno.test(
  "without Linux's calls, a run has its time, status and output",
  { ignore: Deno.build.os === "windows" },
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      const [stdin, stdout, stderr] = ["in", "out", "err"].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      await Deno.writeTextFile(stdin, "text");
      const closed = Promise.withResolvers<void>();
      const host = portableHost(closed.promise);
      const limits = { timeout: 60_000, untilClosed: true };
      const run = await host.run({ shell: ["sh"], line: "cat; exit 3" }, { stdin, stdout, stderr }, limits);
      ok(typeof run !== "string" && run.wall > 0);
      deepEqual({ ...run, wall: 0 }, { wall: 0, status: 3, user: null, system: null, memory: null });
      equal(await Deno.readTextFile(stdout), "text");
      const files = { stdin: NO_FILE, stdout: NO_FILE, stderr };
      const missing = await host.run({ words: ["no-such-program"] }, files, limits);
      deepEqual(missing, { wall: 0, status: 127, user: null, system: null, memory: null });
      equal(await host.run({ words: ["sleep", "100"] }, files, { ...limits, timeout: 10 }), "timeout");
      const ended = host.run({ words: ["sleep", "100"] }, files, limits);
      closed.resolve();
      equal(await ended, "closed");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
