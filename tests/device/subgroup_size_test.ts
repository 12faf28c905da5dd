import assert from "node:assert/strict";
import { hidesSubgroupSize, measureSubgroupSize, reportedSubgroupSize } from "../../runtime/device/subgroups.ts";
import { testDevice } from "../support/evaluate.ts";

const { gpu, info, traits } = await testDevice();
const granted = gpu.features.has("subgroups" as GPUFeatureName);

Deno.test("an adapter that reports a range of sizes has no known subgroup size", () => {
  assert.equal(reportedSubgroupSize({ subgroupMinSize: 32, subgroupMaxSize: 32 }), 32);
  assert.equal(reportedSubgroupSize({ subgroupMinSize: 8, subgroupMaxSize: 32 }), null);
  assert.equal(reportedSubgroupSize({ subgroupMinSize: 0, subgroupMaxSize: 0 }), null);
});

Deno.test("only Apple's GPUs report a range for a single size", () => {
  assert.ok(hidesSubgroupSize("Apple M1 Pro"));
  for (const name of ["Intel(R) Iris(TM) Plus Graphics", "AMD Radeon Pro 5300M", info.name]) {
    assert.equal(hidesSubgroupSize(name), name.startsWith("Apple"), name);
  }
});

Deno.test({
  name: "kernels see subgroups of the size in the traits",
  ignore: !granted || traits.subgroupSize === null,
  async fn() {
    assert.equal(await measureSubgroupSize(gpu), traits.subgroupSize);
  },
});
