import assert from "node:assert/strict";
import { join } from "node:path";
import { type MachineState, machineState, preflightWarnings } from "../../../runtime/experiment/start/preflight.ts";

const QUIET: MachineState = {
  cores: 8,
  load: 0.2,
  governors: ["performance", "performance"],
  onBattery: false,
  softwareAdapter: false,
};

const kinds = (state: Partial<MachineState>) => preflightWarnings({ ...QUIET, ...state }).map(({ kind }) => kind);

Deno.test("each problem of the machine causes a warning, and a quiet machine causes none", () => {
  assert.deepEqual(kinds({}), []);
  assert.deepEqual(kinds({ load: null, governors: [], softwareAdapter: null }), [], "what is not known");
  assert.deepEqual(kinds({ load: 4 }), ["load"]);
  assert.deepEqual(kinds({ governors: ["performance", "powersave"] }), ["governor"]);
  assert.deepEqual(kinds({ softwareAdapter: true }), ["software-adapter"]);
  assert.deepEqual(kinds({ onBattery: true }), ["battery"]);
  assert.match(preflightWarnings({ ...QUIET, load: 1, cores: 2 })[0]!.message, /1\.00 on 2 cores/);
});

Deno.test("governors and batteries are read from /sys", async () => {
  const root = await Deno.makeTempDir();
  try {
    const write = async (path: string, text: string) => {
      await Deno.mkdir(join(root, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    };
    const nothing = await machineState(null, root);
    assert.deepEqual([nothing.governors, nothing.onBattery, nothing.softwareAdapter], [[], false, null]);
    await write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil\n");
    await write("sys/class/power_supply/AC/type", "Mains\n");
    await write("sys/class/power_supply/BAT0/type", "Battery\n");
    await write("sys/class/power_supply/BAT0/status", "Full\n");
    const plugged = await machineState(null, root);
    assert.deepEqual([plugged.governors, plugged.onBattery], [["schedutil"], false]);
    await write("sys/class/power_supply/BAT0/status", "Discharging\n");
    assert.equal((await machineState(null, root)).onBattery, true);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
