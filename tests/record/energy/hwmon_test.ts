import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { EnergyMeter, openEnergyMeter } from "../../../runtime/record/energy/energy_meter.ts";
import { hwmonSources } from "../../../runtime/record/energy/hwmon.ts";
import { tempFolder } from "../../support/temp_folder.ts";

type Files = Readonly<Record<string, string>>;

/** Runs `body` with a tree of sensors and their devices, by path below `sys`. */
async function withTree(files: Files, body: (root: string) => void | Promise<void>): Promise<void> {
  using temporary = tempFolder("tacho-hwmon-");
  const root = temporary.path;
  for (const [path, text] of Object.entries(files)) write(root, path, text);
  await body(root);
}

function write(root: string, path: string, text: string): void {
  const file = join(root, "sys", path);
  Deno.mkdirSync(dirname(file), { recursive: true });
  Deno.writeTextFileSync(file, `${text}\n`);
}

/** A sensor of a GPU at a PCI address. */
function withDevice(root: string, monitor: string, address: string, vendor: string | null): void {
  if (vendor !== null) write(root, `devices/${address}/mem_info_vram_vendor`, vendor);
  Deno.mkdirSync(join(root, "sys/devices", address), { recursive: true });
  Deno.symlinkSync(join(root, "sys/devices", address), join(root, "sys/class/hwmon", monitor, "device"));
}

Deno.test("GPUs that count energy are read from their counters, over a reset", async () => {
  await withTree({
    "class/hwmon/hwmon0/name": "coretemp",
    "class/hwmon/hwmon1/name": "i915",
    "class/hwmon/hwmon1/energy1_input": "7000000",
    "class/hwmon/hwmon2/name": "nouveau",
  }, (root) => {
    withDevice(root, "hwmon1", "0000:03:00.0", null);
    const { sources, missing } = hwmonSources(root, true);
    assert.deepEqual(sources.map(({ name }) => name), ["i915 0000:03:00.0"]);
    assert.match(
      missing[0]!,
      /hwmon2 of nouveau hwmon2 has neither energy1_input nor power1_average nor power1_input$/,
    );
    const meter = new EnergyMeter(sources);
    write(root, "class/hwmon/hwmon1/energy1_input", "9500000");
    assert.equal(meter.joules(), 2.5);
    write(root, "class/hwmon/hwmon1/energy1_input", "500000");
    assert.equal(meter.joules(), 3);
    meter.close();
  });
});

Deno.test("the power of AMD's GPUs is summed up over time", async () => {
  await withTree({
    "class/hwmon/hwmon0/name": "amdgpu",
    "class/hwmon/hwmon0/power1_average": "100000000",
    "class/hwmon/hwmon1/name": "amdgpu",
    "class/hwmon/hwmon1/power1_input": "50000000",
  }, async (root) => {
    withDevice(root, "hwmon0", "0000:03:00.0", "samsung");
    withDevice(root, "hwmon1", "0000:08:00.0", "unknown");
    assert.deepEqual(hwmonNames(root, true), ["amdgpu 0000:03:00.0"], "packages are counted already");
    const begin = performance.now();
    const meter = openEnergyMeter(root) as EnergyMeter;
    assert.deepEqual(meter.names, ["amdgpu 0000:03:00.0", "amdgpu 0000:08:00.0"]);
    let [joules, end] = [0, begin];
    while (joules < 20 && end - begin < 30_000) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const before = joules;
      [joules, end] = [meter.joules(), performance.now()];
      assert.ok(joules >= before);
      assert.ok(joules <= 0.15 * (end - begin), `${joules} J in ${end - begin} ms, expected at most 150 W`);
    }
    assert.ok(joules >= 20, `${joules} J in 30 s`);
    meter.close();
    assert.equal(meter.joules() <= 0.15 * (performance.now() - begin), true);
  });
});

Deno.test("without a GPU the reason says so", async () => {
  await withTree({ "class/hwmon/hwmon0/name": "nvme", "class/powercap/x/name": "x" }, (root) => {
    assert.match(openEnergyMeter(root) as string, /hwmon: .*hwmon has no GPU$/);
  });
  assert.match(hwmonSources("/nowhere", false).missing[0]!, /cannot be listed \(this system has none\)/);
});

function hwmonNames(root: string, packages: boolean): string[] {
  const meter = new EnergyMeter(hwmonSources(root, packages).sources);
  meter.close();
  return [...meter.names];
}
