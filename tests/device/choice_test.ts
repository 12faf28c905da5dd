/** Choosing among adapters by name. Two devices of one machine: Mesa's lavapipe, and SwiftShader where Chromium brings it. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { AdapterInfo } from "../../runtime/device/adapter.ts";
import { findDrivers } from "../../runtime/device/vulkan/drivers.ts";
import type { VulkanDevice } from "../../runtime/device/vulkan/physical_devices.ts";
import { type DriverDevice, findDevice, listByDriver, selectionOf } from "../../runtime/device/vulkan/selection.ts";

const script = fileURLToPath(new URL("./asks.ts", import.meta.url));
const drivers = Deno.build.os === "linux" ? findDrivers() : [];
const manifest = (name: string) => drivers.find(({ manifest }) => manifest.includes(name))?.manifest ?? null;
const [swiftshader, lavapipe] = [manifest("swiftshader"), manifest("lvp_icd")];
const ignore = swiftshader === null || lavapipe === null;

type Answer = AdapterInfo & { refused?: string };

/** Asks for adapters in a process with only these variables of the loader. */
async function ask(matches: readonly string[], env: Record<string, string> = {}, flags = ["-A"]): Promise<Answer[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--no-prompt", ...flags, script, ...matches],
    env: { ...clean(), DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp", ...env },
    clearEnv: true,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line) as Answer);
}

function clean(): Record<string, string> {
  const selecting = /^(VK_|MESA_VK_|DRI_PRIME)/;
  return Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => !selecting.test(name)));
}

Deno.test({
  name: "a name chooses among two software adapters, listed by the loader or not, with its UUID and driver",
  ignore,
  async fn() {
    for (const env of [{}, { VK_DRIVER_FILES: `${lavapipe}:${swiftshader}` }, { VK_ADD_DRIVER_FILES: swiftshader! }]) {
      const chosen = await Promise.all(["swiftshader", "LLVMPIPE"].map(async (match) => (await ask([match], env))[0]!));
      assert.match(chosen[0]!.name, /SwiftShader/);
      assert.match(chosen[1]!.name, /llvmpipe/);
      for (const { uuid, driver, refused } of chosen) {
        assert.equal(refused, undefined);
        assert.match(uuid!, /^[0-9a-f]{32}$/);
        assert.match(driver!, /\d/);
      }
      assert.notEqual(chosen[0]!.uuid, chosen[1]!.uuid);
      const [byUuid] = await ask([chosen[0]!.uuid!], env);
      assert.equal(byUuid!.name, chosen[0]!.name);
    }
  },
});

Deno.test({
  name: "a name that matches nothing is refused with the names that would match",
  ignore,
  async fn() {
    const [answer] = await ask(["voodoo"]);
    assert.match(
      answer!.refused!,
      /^--adapter: no adapter matches "voodoo"; expected part of .*llvmpipe.* or .*SwiftShader/,
    );
  },
});

Deno.test({
  name: "after a script's first request, another adapter is refused with the variables that choose it",
  ignore,
  async fn() {
    const [first, same, other] = await ask(["", "llvmpipe", "swiftshader"]);
    assert.equal(first!.name, same!.name);
    assert.match(other!.refused!, /exists but cannot be chosen: the script has asked for an adapter before/);
    const [, name, value] = other!.refused!.match(/(VK_DRIVER_FILES)=(\S+)/)!;
    const [chosen] = await ask(["swiftshader"], { [name!]: value! });
    assert.match(chosen!.name, /SwiftShader/);
  },
});

Deno.test("without the Vulkan loader, a name refuses the adapter that it does not match, and says why", async () => {
  const [answer] = await ask(["voodoo"], {}, ["--allow-env", "--allow-read", "--allow-sys"]);
  assert.match(answer!.refused!, /no adapter matches "voodoo"/);
  if (Deno.build.os === "linux") assert.match(answer!.refused!, /needs --allow-ffi/);
});

Deno.test({
  name: "Mesa's layer puts a device of several first",
  ignore,
  async fn() {
    const both = { VK_DRIVER_FILES: `${lavapipe}:${swiftshader}` };
    const [usual] = await ask([""], both);
    const other = listByDriver()!.find(({ device }) => device.name !== usual!.name)!;
    const twin: DriverDevice = { ...other, device: { ...other.device, deviceId: 1 } };
    const { VK_DRIVER_FILES: _, ...selecting } = selectionOf(other, [other, twin]);
    const [chosen] = await ask([""], { ...both, ...selecting });
    assert.equal(chosen!.name, other.device.name);
  },
});

const device = (overrides: Partial<VulkanDevice>): DriverDevice => ({
  device: {
    name: "NVIDIA H100",
    kind: "discrete",
    vendorId: 0x10de,
    deviceId: 0x2330,
    driver: "NVIDIA 550.1",
    uuid: null,
    pci: null,
    ...overrides,
  },
  driver: { manifest: "/etc/vulkan/icd.d/nvidia_icd.json", library: "libGLX_nvidia.so.0", listed: true },
});

Deno.test("a device is found by its name, driver, UUID, address or identifiers", () => {
  const [one, other] = [
    device({ pci: "0000:01:00.0", uuid: "aa".repeat(16) }),
    device({ name: "NVIDIA L4", deviceId: 0x27b8, pci: "0000:02:00.0", uuid: "bb".repeat(16) }),
  ];
  for (const match of ["L4", "27B8", "bbbb", "0000:02", "10de:27b8"]) {
    assert.equal(findDevice([one, other], match), other, match);
  }
  assert.equal(findDevice([one, other], "550"), one, "the first of several");
  assert.equal(findDevice([one, other], "radeon"), null);
});

Deno.test("a selection names the driver, the model where a driver has several, and the address of twins", () => {
  const [one, twin] = [device({ pci: "0000:01:00.0" }), device({ pci: "0000:02:00.0" })];
  const other = device({ name: "NVIDIA L4", deviceId: 0x27b8, pci: "0000:03:00.0" });
  const driver = { VK_DRIVER_FILES: "/etc/vulkan/icd.d/nvidia_icd.json" };
  assert.deepEqual(selectionOf(one, [one]), driver);
  assert.deepEqual(selectionOf(other, [one, other]), {
    ...driver,
    MESA_VK_DEVICE_SELECT: "10de:27b8",
    VK_LOADER_DEVICE_SELECT: "0x10de:0x27b8",
  });
  assert.deepEqual(selectionOf(twin, [one, twin]), {
    ...driver,
    MESA_VK_DEVICE_SELECT: "10de:2330",
    VK_LOADER_DEVICE_SELECT: "0x10de:0x2330",
    DRI_PRIME: "pci-0000_02_00_0",
  });
});
