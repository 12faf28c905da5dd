import { deepEqual, equal, notEqual } from "node:assert/strict";
import { describeDataset } from "../../runtime/data/describe.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { nullPlan } from "../../runtime/engine/null_plan.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { withOpenSession } from "../support/session.ts";
import { images } from "../trainer/feed/experiments.ts";

const { config } = resolveScenario(images()).variants[0]!;
const dataset = describeDataset(config.data);

Deno.test("a null plan has as many dispatches with the same bindings, and changes nothing", async () => {
  await withOpenSession(images(), async ({ device, session, free }) => {
    const before = await session.state.read("parameters");
    const executor = await session.nullExecutor();
    equal(executor.dispatches.length, session.executor.dispatches.length);
    deepEqual(executor.phases, session.executor.phases);
    const run = (what: typeof executor) => {
      const encoder = device.gpu.createCommandEncoder({ label: "test" });
      what.encode(encoder);
      device.submit(encoder);
      device.wait();
    };
    for (let i = 0; i < 3; i++) run(executor);
    await device.settle();
    deepEqual(await session.state.read("parameters"), before);
    run(session.executor);
    notEqual(
      [...(await session.state.read("parameters")).values()].flatMap(({ data }) => [...data]).join(),
      [
        ...before.values(),
      ].flatMap(({ data }) => [...data]).join(),
    );
    executor.free();
    free();
  });
});

Deno.test("each null kernel keeps its grid and workgroup size and has its own pipeline", () => {
  const { plan } = compileVariant(config, dataset, DEFAULT_TRAITS);
  const nothing = nullPlan(plan);
  const kernels = (of: typeof plan) => of.segments.flatMap(({ dispatches }) => dispatches.map(({ kernel }) => kernel));
  const shape = (of: typeof plan) =>
    kernels(of).map(({ grid, workgroupSize, bindings }) => ({ grid, workgroupSize, bindings }));
  deepEqual(shape(nothing), shape(plan));
  const sources = (of: typeof plan) =>
    new Set(kernels(of).map(({ name, workgroupSize }) => `${name} ${workgroupSize}`)).size;
  equal(new Set(kernels(nothing).map(({ wgsl }) => wgsl)).size, sources(plan));
});
