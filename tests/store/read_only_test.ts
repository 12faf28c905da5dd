import assert from "node:assert/strict";
import { openStore } from "../../runtime/store/store.ts";
import { isInstalled } from "../support/is_installed.ts";
import { keepWhole } from "./synthetic_run.ts";

const READER = new URL("./reader.ts", import.meta.url).href;

/** Mounts its first argument read-only for the following command, since permissions do not stop root. */
const READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';

/** Runs the reader with a read-only folder. Returns null if the folder cannot be made read-only. */
async function readOnly(folder: string): Promise<string | null> {
  const words = [Deno.execPath(), "run", "-q", "-A", "--no-check", READER, folder];
  const options = { stdout: "piped", stderr: "piped", stdin: "null" } as const;
  if (Deno.build.os === "windows") return null;
  if (Deno.uid() === 0) {
    if (!await isInstalled("unshare")) return null;
    const args = ["-m", "sh", "-c", READ_ONLY, "sh", folder, ...words];
    const output = await new Deno.Command("unshare", { args, ...options }).output();
    return output.success ? new TextDecoder().decode(output.stdout) : null;
  }
  await new Deno.Command("chmod", { args: ["-R", "a-w", folder] }).output();
  const { stdout } = await new Deno.Command(words[0]!, { args: words.slice(1), ...options }).output();
  await new Deno.Command("chmod", { args: ["-R", "u+w", folder] }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("a read-only store can be read, and refuses to keep a run", async (t) => {
  const folder = await Deno.makeTempDir();
  const ids: string[] = [];
  {
    using store = openStore(folder);
    for (let i = 0; i < 3; i++) ids.push(keepWhole(store));
  }
  const said = await readOnly(folder);
  await t.step({
    name: said === null ? "skipped: the folder cannot be made read-only here" : "read, and refused",
    ignore: said === null,
    fn: () => {
      const [read = "", refused = ""] = said!.split("\n");
      assert.deepEqual(JSON.parse(read), ids.toReversed().map((id) => [id, 2]));
      assert.match(refused, /^StoreError: The store .*runs\.sqlite cannot be (written|opened).*--no-store/);
    },
  });
  await Deno.remove(folder, { recursive: true });
});
