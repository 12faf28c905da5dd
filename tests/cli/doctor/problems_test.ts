import assert from "node:assert/strict";
import type { Facts } from "../../../runtime/cli/doctor/facts.ts";
import { findProblems } from "../../../runtime/cli/doctor/problems.ts";
import { renderDoctor } from "../../../runtime/cli/doctor/render.ts";
import { facts, found, gpu, route, software } from "./facts.ts";

const LIBRARY = {
  manifest: "/usr/share/vulkan/icd.d/a.json",
  name: "/usr/share/vulkan/icd.d/a.json",
  library: "liba.so",
};

/** Machines, each with one problem: its severity, its message and its fix. */
const MACHINES: Readonly<Record<string, [Partial<Facts>, "error" | "warning", RegExp, RegExp | null]>> = {
  "no adapter": [
    { routes: [route({ found: found({ adapter: null }) })], gpus: [] },
    "error",
    /^WebGPU finds no adapter$/,
    /^apt-get install -y mesa-vulkan-drivers$/,
  ],
  "no adapter for an NVIDIA GPU": [
    {
      routes: [route({ found: found({ adapter: null }) })],
      gpus: [{ pci: "0000:01:00.0", vendor: "NVIDIA", id: "10de:2330", module: null }],
    },
    "error",
    /^WebGPU finds no adapter$/,
    /NVIDIA's driver/,
  ],
  "a variable that hides the adapter": [
    {
      routes: [route({ found: found({ adapter: null }) }), route({ name: "a" })],
      variables: { VK_DRIVER_FILES: "/nowhere.json" },
    },
    "error",
    /^No adapter with VK_DRIVER_FILES=\/nowhere\.json$/,
    /^unset VK_DRIVER_FILES$/,
  ],
  "a first route that crashes": [
    { routes: [route({ found: null, failure: "ended by SIGSEGV" })] },
    "error",
    /^The process that looks for an adapter ended by SIGSEGV$/,
    /mesa/,
  ],
  "probes that Deno cannot run": [
    { routes: [route(), route(LIBRARY)].map((one) => ({ ...one, found: null, failure: "ended with status 1" })) },
    "error",
    /^Every process that looks for an adapter ended with status 1$/,
    /^deno run -A \S+adapter_probe\.ts, which prints the error$/,
  ],
  "an adapter that refuses a device": [
    { routes: [route({ found: found({ error: "out of memory" }) })] },
    "error",
    /^The adapter cannot be opened: out of memory$/,
    null,
  ],
  "no loader": [
    { routes: [route({ found: found({ devices: null }) })] },
    "warning",
    /libvulkan\.so\.1 cannot be loaded/,
    /^apt-get install -y libvulkan1$/,
  ],
  "a driver that hangs": [
    { routes: [route(), route({ ...LIBRARY, found: null, failure: "no answer within 60 s" })] },
    "error",
    /^The process that tried .*a\.json no answer within 60 s$/,
    /^sudo mv .*a\.json .*a\.json\.disabled$/,
  ],
  "a library that cannot be loaded": [
    { routes: [route(), route({ ...LIBRARY, found: found({ adapter: null, libraryError: "libLLVM.so: no" }) })] },
    "warning",
    /a\.json cannot be loaded: libLLVM\.so: no$/,
    /^ldd liba\.so/,
  ],
  "a manifest that is lost": [
    { routes: [route(), route({ ...LIBRARY, library: null, found: found({ adapter: null }) })] },
    "warning",
    /is missing, unreadable or names no library$/,
    /^unset VK_DRIVER_FILES/,
  ],
  "a GPU that a container does not see": [
    { routes: [route({ found: found({ adapter: software }) })], nodes: [] },
    "warning",
    /^The AMD GPU at 0000:03:00\.0 \(1002:744c\) is not used: it is driven by amdgpu/,
    /--device \/dev\/dri/,
  ],
  "a device file without permission": [
    { nodes: [{ path: "/dev/dri/renderD128", access: "denied", group: 105 }] },
    "warning",
    /^\/dev\/dri\/renderD128 may not be opened$/,
    /^sudo usermod -aG/,
  ],
  "no f16": [
    { routes: [route({ found: found({ adapter: { ...gpu, features: ["timestamp-query"] } }) })] },
    "warning",
    /^The adapter has no shader-f16: amp levels above O0 are refused$/,
    null,
  ],
  "a coarse clock": [
    { routes: [route({ found: found({ clockStepNs: 100_000 }) })] },
    "warning",
    /steps of 100 us/,
    null,
  ],
  "a feature that is switched off": [
    { variables: { TACHO_WITHOUT: "shader-f16" } },
    "warning",
    /^TACHO_WITHOUT=shader-f16 holds for every run$/,
    /^unset TACHO_WITHOUT$/,
  ],
  "a store that cannot be written": [
    { folders: [{ purpose: "store", path: "/ro", variable: "TACHO_STORE", error: "Read-only file system" }] },
    "warning",
    /^Runs cannot be kept in \/ro: Read-only file system$/,
    /^export TACHO_STORE=DIR/,
  ],
  "missing permissions": [
    { permissions: { read: "granted", ffi: "prompt" } },
    "warning",
    /^Deno lacks the permissions ffi/,
    /^deno run -A/,
  ],
  "a busy machine": [{ load: 7.5 }, "warning", /^load average 7\.50 on 8 cores: other programs compete/, /^top$/],
  "a changing clock rate": [{ governors: ["powersave"] }, "warning", /^CPU governor powersave/, /cpupower/],
};

for (const [name, [overrides, severity, message, fix]] of Object.entries(MACHINES)) {
  Deno.test(`${name} is the machine's only problem, with its fix`, () => {
    const problems = findProblems(facts(overrides));
    assert.equal(problems.length, 1, JSON.stringify(problems));
    assert.equal(problems[0]!.severity, severity);
    assert.match(problems[0]!.message, message);
    if (fix === null) assert.equal(problems[0]!.fix, null);
    else assert.match(problems[0]!.fix!, fix);
    const text = renderDoctor(facts(overrides), problems, { columns: 80, color: false });
    assert.ok(text.includes(`${severity}: `), text);
  });
}

Deno.test("a machine in order has no problem", () => {
  assert.deepEqual(findProblems(facts()), []);
  assert.match(renderDoctor(facts(), [], { columns: null, color: false }), /No problem found\n$/);
});

Deno.test("errors come before warnings", () => {
  const problems = findProblems(facts({ load: 7.5, routes: [route({ found: found({ adapter: null }) })] }));
  assert.deepEqual(problems.map(({ severity }) => severity), ["error", "warning"]);
});
