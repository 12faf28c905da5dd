import { openToWrite, readFile, writeFile } from "../../../core/files.ts";
import type { CommandHost, Launched } from "./host.ts";

/**
 * Returns a host for systems other than Linux, which measures the time only.
 *
 * @param closed settles once stdin is closed
 */
export function portableHost(closed: Promise<unknown>): CommandHost {
  return {
    open() {},

    async run(launched, { stdin, stdout, stderr }, { timeout, untilClosed, started }) {
      const [program = "", ...args] = wordsOf(launched);
      const input = stdin === NO_FILE ? null : readFile(stdin);
      const wanted = stdout === NO_FILE ? "null" : "piped";
      const begin = performance.now();
      const command = new Deno.Command(program, {
        args,
        ...{ stdin: input === null ? "null" : "piped", stdout: wanted, stderr: "piped" },
      });
      let child: Deno.ChildProcess;
      try {
        child = command.spawn();
      } catch (error) {
        writeFile(stderr, `${program}: not found\n`);
        if (error instanceof Deno.errors.NotFound) return { ...UNKNOWN, wall: 0, status: 127 };
        throw error;
      }
      started?.(child.pid);
      const written = Promise.all([
        input === null ? null : new Blob([input]).stream().pipeTo(child.stdin).catch(() => {}),
        wanted === "null" ? null : child.stdout.pipeTo(openToWrite(stdout).writable),
        child.stderr.pipeTo(openToWrite(stderr).writable),
      ]);
      const late = Promise.withResolvers<"timeout">();
      const timer = setTimeout(() => late.resolve("timeout"), Math.min(timeout, 2 ** 31 - 1));
      const end = untilClosed ? [closed.then(() => "closed" as const)] : [];
      const first = await Promise.race([child.status, late.promise, ...end]);
      const wall = performance.now() - begin;
      clearTimeout(timer);
      if (typeof first === "string") child.kill("SIGKILL");
      await child.status;
      await written;
      return typeof first === "string" ? first : { ...UNKNOWN, wall, status: first.code };
    },

    end() {},
  };
}

/** What only Linux tells. */
const UNKNOWN = { user: null, system: null, memory: null } as const;

/** Path that means no file: nothing is read or kept. */
export const NO_FILE = "/dev/null";

function wordsOf(launched: Launched): readonly string[] {
  if ("words" in launched) return launched.words;
  return [...launched.shell, Deno.build.os === "windows" ? "/C" : "-c", launched.line];
}
