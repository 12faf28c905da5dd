import assert from "node:assert/strict";
import { resultSchema } from "../../runtime/result/schema.ts";

/** Runs the script with the device lost at the `at`-th submit. */
async function lose(at: number, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const script = new URL("./lost_device_script.ts", import.meta.url).href;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", script, ...args],
    env: { LOST_AT: String(at) },
    stdout: "piped",
    stderr: "piped",
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

Deno.test("A lost device ends the run with status 3 and one message, whenever it is lost", async () => {
  for (const at of [2, 5, 9, 14]) {
    const { code, stdout, stderr } = await lose(at);
    const messages = [...`${stdout}${stderr}`.replace(/\s+/g, " ").matchAll(/The device was lost \(/g)];
    assert.deepEqual([code, messages.length], [3, 1], `${at}: ${stdout}${stderr}`);
    assert.doesNotMatch(stderr, /not foreseen|\bat .*\.ts:/);
  }
});

Deno.test("blocks measured before the device was lost are printed and kept", async () => {
  const { code, stdout } = await lose(50, "--json", "-");
  const { variants } = resultSchema.parse(JSON.parse(stdout));
  assert.equal(code, 3);
  assert.ok(variants.every(({ status, error }) => status === "failed" && error!.exitStatus === 3));
  assert.ok(variants.some(({ blocks }) => blocks.length > 0), "a block of some variant");
});
