import assert from "node:assert/strict";
import { join } from "node:path";
import { EnergyMeter } from "../../../runtime/record/energy/energy_meter.ts";
import { nvmlSources } from "../../../runtime/record/energy/nvml.ts";
import { isInstalled } from "../../support/is_installed.ts";
import { tempFolder } from "../../support/temp_folder.ts";

/** A library of two GPUs: the first uses 1500 mJ from read to read, the second counts no energy. */
const LIBRARY = `
#include <string.h>
static unsigned long long energy = 7000;
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { *device = (void *)(16ul + index); return 0; }
int nvmlDeviceGetName(void *device, char *name, unsigned length) {
  strncpy(name, (unsigned long)device == 16ul ? "First GPU" : "Second GPU", length);
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *value) {
  if ((unsigned long)device != 16ul) return 3;
  *value = energy;
  energy += 1500;
  return 0;
}
`;

const compiler = await isInstalled("cc");

Deno.test({
  name: "GPUs that count energy are read through the library",
  ignore: !compiler || Deno.build.os !== "linux",
  fn: async () => {
    using temporary = tempFolder("tacho-nvml-");
    const folder = temporary.path;
    await Deno.writeTextFile(join(folder, "nvml.c"), LIBRARY);
    const library = join(folder, "libnvml.so");
    const args = ["-shared", "-fPIC", "-o", library, join(folder, "nvml.c")];
    assert.ok((await new Deno.Command("cc", { args }).output()).success);
    const { sources, missing } = nvmlSources(library);
    assert.deepEqual([sources.map(({ name }) => name), missing], [["First GPU"], []]);
    const meter = new EnergyMeter(sources);
    assert.equal(meter.joules(), 1.5);
    assert.equal(meter.joules(), 3);
    meter.close();
  },
});

Deno.test("a library that is missing is named", () => {
  const { sources, missing } = nvmlSources("libno-such-library.so.1");
  assert.deepEqual(sources, []);
  assert.match(missing[0]!, /^NVML: libno-such-library\.so\.1 cannot be loaded \((?!Could not open)/);
});
