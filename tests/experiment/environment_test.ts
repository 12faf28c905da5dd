import assert from "node:assert/strict";
import { describeEnvironment, relevantVariables } from "../../runtime/experiment/environment.ts";
import { environmentSchema } from "../../runtime/result/schema.ts";

Deno.test("The environment matches its schema and has the current versions", async () => {
  const environment = environmentSchema.parse(await describeEnvironment(null));
  assert.deepEqual([environment.deno, environment.v8], [Deno.version.deno, Deno.version.v8]);
  assert.equal(environment.adapter, null);
  assert(environment.memory! > 2 ** 28);
  // The tests' own lock file
  assert.match(environment.lockHash!, /^[0-9a-f]{64}$/);
  assert.equal(environment.gitDirty, environment.git === null ? null : environment.git.endsWith("-dirty"));
});

Deno.test("Variables that can affect measurements are kept; paths and secrets are not", () => {
  const kept = {
    DENO_WEBGPU_BACKEND: "vulkan",
    LP_NUM_THREADS: "1",
    MESA_SHADER_CACHE_DISABLE: "true",
    VK_ICD_FILENAMES: "/etc/icd.json",
    WGPU_POWER_PREF: "high",
    TACHO_CACHE: "/tmp/cache",
    CUDA_VISIBLE_DEVICES: "0",
  };
  const left = {
    HOME: "/home/someone",
    PATH: "/bin",
    NO_COLOR: "1",
    TACHO_STORE: "/tmp/store",
    DENO_AUTH_TOKENS: "abc@example.com",
    DENO_DEPLOY_TOKEN: "abc",
    VKONTAKTE: "x",
    LPX: "x",
  };
  assert.deepEqual(relevantVariables({ ...left, ...kept }), kept);
  assert.deepEqual(Object.keys(relevantVariables(kept)), Object.keys(kept).toSorted());
});
