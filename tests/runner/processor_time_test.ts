import assert, { strictEqual } from "node:assert/strict";
import { processorTime } from "./processor_time.ts";

Deno.test({
  name: "processor time has that of children that have ended",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const before = processorTime("self")!;
    const code = "const end = performance.now() + 500; while (performance.now() < end);";
    await new Deno.Command(Deno.execPath(), { args: ["eval", code] }).output();
    const spent = processorTime("self")! - before;
    assert(spent > 0.1 && spent < 5, `${spent} s`);
    strictEqual(processorTime(2 ** 22), null);
  },
});
