import { deepStrictEqual, throws } from "node:assert/strict";
import { openStore } from "../../runtime/store/store.ts";

const RUN = {
  ...{ started: 1000, ended: 2000, status: 0, command: ["deno", "run", "a b.ts"], cwd: "/x" },
  ...{ adapter: null, tacho: "1", deno: "2" },
};

Deno.test("results of attached programs are kept apart from runs, and found by ID, part of it, and last", () => {
  const folder = Deno.makeTempDirSync({ prefix: "tacho-test-" });
  try {
    using store = openStore(folder);
    throws(() => store.attachedRun("last"), /Unknown attached program "last"/);
    const first = store.keepAttached(RUN, { kind: "attach", devices: [1] });
    const second = store.keepAttached({ ...RUN, started: 3000, adapter: "gpu", status: 3 }, { kind: "attach" });
    deepStrictEqual(store.attachedRuns().map(({ id }) => id), [second, first]);
    deepStrictEqual(store.attachedRun(first), {
      run: { ...RUN, id: first },
      result: { kind: "attach", devices: [1] },
    });
    deepStrictEqual(store.attachedRun("last").run, { ...RUN, id: second, started: 3000, adapter: "gpu", status: 3 });
    deepStrictEqual(store.attachedRun(second.slice(-4).toUpperCase()).run.id, second);
    throws(() => store.attachedRun(first.slice(0, 3)), /is ambiguous/);
    deepStrictEqual(store.find(), []);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
