import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { launcherOf } from "../../runtime/cluster/launcher.ts";

const under = (variables: Record<string, string>) => launcherOf((name) => variables[name] ?? null);

Deno.test("the launcher is known by its variables", () => {
  strictEqual(under({}), null);
  strictEqual(under({ OMPI_COMM_WORLD_RANK: "1", PMIX_RANK: "1" })?.name, "Open MPI");
  strictEqual(under({ OMPI_COMM_WORLD_RANK: "1" })?.rank, 1);
  strictEqual(under({ PMI_RANK: "0" })?.name, "MPICH");
});

Deno.test("TACHO_MPI names the library", () => {
  deepStrictEqual(under({ PMI_RANK: "0", TACHO_MPI: "/opt/libmpi.so" })?.libraries, ["/opt/libmpi.so"]);
  deepStrictEqual(under({ TACHO_MPI: "/opt/libmpi.so" }), null);
});
