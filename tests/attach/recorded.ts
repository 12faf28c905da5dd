import { join } from "node:path";
import { withQuery } from "../../runtime/attach/query.ts";
import type { AttachRecord } from "../../runtime/attach/records.ts";
import type { RecorderSettings } from "../../runtime/attach/settings.ts";

const PRELOAD = new URL("../../runtime/attach/deno/preload.ts", import.meta.url).href;

/** Outcome of a program, and its records by realm. */
export interface Recorded {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly realms: readonly (readonly AttachRecord[])[];
}

/** Status of a process with a segmentation fault, which Deno rarely has at the exit of a program with a device. */
const CRASHED = 139;

/** Runs a program in Deno; recorded, if there are settings. */
export async function runProgram(
  program: string,
  args: readonly string[],
  settings: Partial<RecorderSettings> | null,
): Promise<Recorded> {
  const recorded = await runOnce(program, args, settings);
  return recorded.code === CRASHED ? await runOnce(program, args, settings) : recorded;
}

async function runOnce(
  program: string,
  args: readonly string[],
  settings: Partial<RecorderSettings> | null,
): Promise<Recorded> {
  const folder = await Deno.makeTempDir({ prefix: "tacho-test-" });
  try {
    const all = { steps: { by: "auto" }, stack: false, budget: 0.05, timing: true, ...settings } as const;
    const preload = settings === null
      ? []
      : ["--preload", withQuery(PRELOAD, { folder, realm: "main", settings: all })];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", ...preload, join(import.meta.dirname!, program), ...args],
      stdin: "null",
      env: {
        NO_COLOR: "1",
        ...Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {},
      },
    }).output();
    const decoder = new TextDecoder();
    const realms = [...Deno.readDirSync(folder)].map(({ name }) => readRecords(join(folder, name)));
    const main = ([first]: readonly AttachRecord[]) => first?.kind === "start" && first.realm === "main" ? 0 : 1;
    realms.sort((a, b) => main(a) - main(b));
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), realms };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function readRecords(file: string): AttachRecord[] {
  return Deno.readTextFileSync(file).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AttachRecord);
}
