import assert from "node:assert/strict";
import { join } from "node:path";
import { EnergyMeter, openEnergyMeter } from "../../../runtime/record/energy/energy_meter.ts";
import { raplSources } from "../../../runtime/record/energy/rapl.ts";
import { tempFolder } from "../../support/temp_folder.ts";

/** Range of the made-up counters, in microjoules. */
const RANGE = 1000_000;

/** Runs `body` with a powercap tree of zones with names and counters. */
function withTree(zones: Record<string, [name: string, energy: number]>, body: (root: string) => void): void {
  using temporary = tempFolder("tacho-powercap-");
  const root = temporary.path;
  Deno.mkdirSync(join(root, "sys/class/powercap/intel-rapl"), { recursive: true });
  for (const [zone, [name, energy]] of Object.entries(zones)) {
    Deno.mkdirSync(join(root, "sys/class/powercap", zone));
    const write = (file: string, text: string) =>
      Deno.writeTextFileSync(join(root, "sys/class/powercap", zone, file), text);
    write("name", `${name}\n`);
    write("max_energy_range_uj", `${RANGE}\n`);
    write("energy_uj", `${energy}\n`);
  }
  body(root);
}

function count(root: string, zone: string, energy: number): void {
  Deno.writeTextFileSync(join(root, "sys/class/powercap", zone, "energy_uj"), `${energy}\n`);
}

Deno.test("packages and their memory are counted once, without what they contain or what contains them", () => {
  withTree({
    "intel-rapl:0": ["package-0", 5],
    "intel-rapl:0:0": ["core", 5],
    "intel-rapl:0:1": ["uncore", 5],
    "intel-rapl:0:2": ["dram", 5],
    "intel-rapl:1": ["package-1", 5],
    "intel-rapl:2": ["psys", 5],
    "intel-rapl-mmio:0": ["package-0", 5],
  }, (root) => {
    const { sources, missing } = raplSources(root);
    assert.deepEqual(sources.map(({ name }) => name).toSorted(), ["package-0", "package-0 dram", "package-1"]);
    assert.deepEqual(missing, []);
  });
});

Deno.test("joules count from the start, over wraps of a counter", () => {
  withTree({ "intel-rapl:0": ["package-0", 900_000], "intel-rapl:1": ["package-1", 10] }, (root) => {
    const meter = new EnergyMeter(raplSources(root).sources);
    assert.equal(meter.joules(), 0);
    count(root, "intel-rapl:0", 950_000);
    assert.equal(meter.joules(), 0.05);
    count(root, "intel-rapl:0", 20_000); // over the end
    count(root, "intel-rapl:1", 30_010);
    assert.ok(Math.abs(meter.joules() - 0.15) < 1e-12);
    for (let i = 0; i < 3; i++) {
      count(root, "intel-rapl:0", 999_999);
      meter.joules();
      count(root, "intel-rapl:0", 20_000);
      meter.joules();
    }
    assert.ok(Math.abs(meter.joules() - 3.15) < 1e-9, String(meter.joules()));
    meter.close();
  });
});

Deno.test("a counter that cannot be read for a while goes on where it was", () => {
  withTree({ "intel-rapl:0": ["package-0", 100_000] }, (root) => {
    const meter = new EnergyMeter(raplSources(root).sources);
    count(root, "intel-rapl:0", 150_000);
    assert.equal(meter.joules(), 0.05);
    Deno.removeSync(join(root, "sys/class/powercap/intel-rapl:0/energy_uj"));
    assert.equal(meter.joules(), 0.05);
    count(root, "intel-rapl:0", 250_000);
    assert.equal(meter.joules(), 0.15);
    meter.close();
  });
});

Deno.test("without counters the reason says what is missing", () => {
  withTree({}, (root) => {
    assert.match(openEnergyMeter(root) as string, /^RAPL: .*powercap has no counter; NVML: libnvidia-ml\.so\.1 cannot/);
  });
  assert.match(openEnergyMeter("/nowhere") as string, /RAPL: \/nowhere.* cannot be listed \(this system has none\)/);
  withTree({ "intel-rapl:0": ["package-0", 1] }, (root) => {
    Deno.writeTextFileSync(join(root, "sys/class/powercap/intel-rapl:0/energy_uj"), "broken\n");
    const [message] = raplSources(root).missing;
    assert.match(message!, /^RAPL: .*energy_uj is "broken"; expected a number of microjoules$/);
  });
});

Deno.test("a counter without its range is not used, and the reason names the file", () => {
  const range = "sys/class/powercap/intel-rapl:1/max_energy_range_uj";
  const both: Parameters<typeof withTree>[0] = {
    "intel-rapl:0": ["package-0", 1],
    "intel-rapl:1": ["package-1", 1],
  };
  const messages: [change: (path: string) => void, message: RegExp][] = [
    [Deno.removeSync, /intel-rapl:1\/max_energy_range_uj is missing, without which .* after a wrap .* unknown$/],
    [(path) => Deno.writeTextFileSync(path, "0\n"), /max_energy_range_uj is 0; expected a positive number$/],
    [(path) => Deno.writeTextFileSync(path, "\n"), /max_energy_range_uj is ""; expected a number of microjoules$/],
  ];
  for (const [change, message] of messages) {
    withTree(both, (root) => {
      change(join(root, range));
      const meter = openEnergyMeter(root) as EnergyMeter;
      assert.deepEqual(meter.names, ["package-0"]);
      assert.match(meter.missing.join(), message);
      meter.close();
    });
  }
});

Deno.test("a zone without a counter is named, and a control type is not", () => {
  withTree({ "intel-rapl:0": ["package-0", 1] }, (root) => {
    Deno.removeSync(join(root, "sys/class/powercap/intel-rapl:0/energy_uj"));
    assert.match(raplSources(root).missing.join(), /^RAPL: .*intel-rapl:0\/energy_uj is missing$/);
  });
});
