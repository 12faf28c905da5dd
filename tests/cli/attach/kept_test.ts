import { deepStrictEqual, throws } from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { analyseAttached } from "../../../runtime/analysis/attach/analyse.ts";
import { attachedSchema } from "../../../runtime/result/attached.ts";
import { showAttached } from "../../../runtime/cli/attach/kept.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { runProgram } from "../../attach/recorded.ts";

const RUN = { started: 1, ended: 2, status: 0, command: ["deno", "run", "x.ts"], cwd: "/", adapter: null };

Deno.test("results of recorded programs fit the schema, and damaged ones are named by their place", async () => {
  const { realms } = await runProgram("edge_program.ts", [], { stack: true });
  const result = analyseAttached(realms, "auto");
  const plain = JSON.parse(JSON.stringify(result));
  deepStrictEqual(attachedSchema.parse(plain), plain);
  const folder = await Deno.makeTempDir();
  try {
    using store = openStore(folder);
    const versions = { tacho: "0.0.1", deno: "2.9.6" };
    const keep = (content: unknown) => store.keepAttached({ ...RUN, ...versions }, content as typeof result);
    const { advice: _, ...device } = plain.devices[0];
    const earlier = keep({ ...plain, devices: [device] });
    deepStrictEqual(
      showAttached(store, earlier, { json: "/dev/null", color: false }).result.devices[0]!.advice,
      [],
    );
    const damaged = keep({ ...plain, devices: [{ ...plain.devices[0], totals: { submits: "many" } }] });
    throws(() => showAttached(store, damaged, { color: false }), {
      name: "StoreError",
      message:
        /damaged, or of another version of Tacho \(0\.0\.1\) at devices\.0\.totals\.submits: .*attach to the program again/,
    });
    const other = keep({ kind: "attach", schemaVersion: 2 });
    throws(() => showAttached(store, other, { color: false }), { message: /at schemaVersion: / });
    const database = new DatabaseSync(join(folder, "runs.sqlite"));
    database.prepare("UPDATE attached SET content = ? WHERE id = ?").run(new Uint8Array([1, 2, 3]), other);
    database.close();
    throws(() => store.attachedRun(other), {
      name: "StoreError",
      message: /is damaged: .*attach to the program again/,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
