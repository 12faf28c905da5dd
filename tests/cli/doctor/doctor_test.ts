import assert from "node:assert/strict";
import { join } from "node:path";
import { deviceNodes, gpus } from "../../../runtime/cli/doctor/machine.ts";
import { findDrivers } from "../../../runtime/device/vulkan/drivers.ts";
import { testDevice } from "../../support/evaluate.ts";

const root = join(import.meta.dirname!, "..", "..", "..");

async function doctor(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "scripts/tacho.ts", "doctor", ...args],
    cwd: root,
    env,
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

Deno.test("doctor reports the adapter of this machine and every driver of the loader as JSON", async () => {
  const { info } = await testDevice();
  const { code, stdout, stderr } = await doctor(["--json"]);
  assert.equal(stderr, "");
  assert.equal(code, 0, stdout);
  const { routes, versions, problems } = JSON.parse(stdout);
  assert.deepEqual(routes[0].found.adapter, info);
  assert.equal(versions.deno, Deno.version.deno);
  if (info.features.includes("timestamp-query")) assert.ok(routes[0].found.clockStepNs > 0);
  if (Deno.build.os === "linux") {
    for (const { manifest } of findDrivers()) {
      assert.ok(routes.some((route: { manifest: string | null }) => route.manifest === manifest), manifest);
    }
  }
  assert.ok(problems.every(({ severity }: { severity: string }) => severity === "warning"), JSON.stringify(problems));
});

Deno.test({
  name: "doctor exits with status 3 and the fix where a variable hides every adapter",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { code, stdout, stderr } = await doctor([], { VK_DRIVER_FILES: "/nowhere/driver.json" });
    assert.equal(code, 3, stderr);
    assert.match(
      stdout,
      /error: No adapter with.* VK_DRIVER_FILES=\/nowhere\/driver\.json\n {2}fix: unset .*VK_DRIVER_FILES/,
    );
  },
});

Deno.test("GPUs and their device files are read from the system's folders", async () => {
  const folder = await Deno.makeTempDir();
  const devices = join(folder, "sys/bus/pci/devices");
  const add = (address: string, files: Record<string, string>) => {
    Deno.mkdirSync(join(devices, address), { recursive: true });
    for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(join(devices, address, name), `${text}\n`);
  };
  add("0000:00:1f.0", { class: "0x060100", vendor: "0x8086", device: "0x0001" });
  add("0000:01:00.0", { class: "0x030200", vendor: "0x10de", device: "0x2330" });
  add("0000:02:00.0", { class: "0x030000", vendor: "0xabcd", device: "0x0002" });
  Deno.symlinkSync("../../../bus/pci/drivers/nvidia", join(devices, "0000:01:00.0", "driver"));
  Deno.mkdirSync(join(folder, "dev/dri"), { recursive: true });
  for (const name of ["dri/card0", "dri/renderD128", "nvidia0", "null"]) {
    Deno.writeTextFileSync(join(folder, "dev", name), "");
  }
  assert.deepEqual(gpus(folder), [
    { pci: "0000:01:00.0", vendor: "NVIDIA", id: "10de:2330", module: "nvidia" },
    { pci: "0000:02:00.0", vendor: "vendor abcd", id: "abcd:0002", module: null },
  ]);
  assert.deepEqual(
    deviceNodes(folder).map(({ path, access }) => [path.slice(folder.length), access]),
    [["/dev/dri/renderD128", "granted"], ["/dev/nvidia0", "granted"]],
  );
  assert.deepEqual(gpus(join(folder, "nowhere")), []);
  await Deno.remove(folder, { recursive: true });
});
