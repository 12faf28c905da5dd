import assert from "node:assert/strict";
import { join } from "node:path";
import { findDrivers } from "../../runtime/device/vulkan/drivers.ts";
import { readResult } from "../../runtime/result/schema.ts";
import { fullTest } from "../support/full.ts";

const root = join(import.meta.dirname!, "..", "..");
const driver = Deno.build.os === "linux"
  ? findDrivers().find(({ manifest }) => manifest.includes("swiftshader"))
  : null;

Deno.test("a variable that leaves no adapter is named with the fix", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "scripts/mlp.ts", "--no-store"],
    cwd: root,
    env: { DENO_WEBGPU_BACKEND: "nonsense" },
  }).output();
  assert.equal(code, 3);
  assert.match(
    new TextDecoder().decode(stderr),
    /^error: No WebGPU adapter found with DENO_WEBGPU_BACKEND=nonsense; unset it, or see what tacho doctor says$/m,
  );
});

fullTest(
  "--adapter runs a scenario on the software adapter that a browser brings, and the result names it",
  async () => {
    const args = ["scripts/mlp.ts", "hidden=8", "loader.batchSize=8", "--variants", "baseline", "--steps", "1"];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        ...args,
        "--skip",
        "1",
        "--rounds",
        "1",
        "--adapter",
        "SwiftShader",
        "--json",
        "-",
      ]
        .concat("--no-store"),
      cwd: root,
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const { environment, variants } = readResult(JSON.parse(new TextDecoder().decode(stdout)), "x");
    assert.match(environment.adapter!.name!, /SwiftShader/);
    assert.match(environment.adapter!.uuid!, /^[0-9a-f]{32}$/);
    assert.equal(environment.variables["VK_DRIVER_FILES"], driver!.manifest);
    assert.ok(variants[0]!.metrics.ips!.value > 0);
  },
  { ignore: driver == null },
);
