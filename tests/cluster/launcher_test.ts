import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { howToStartRanks, launcherOf } from "../../runtime/cluster/launcher.ts";

const under = (variables: Record<string, string>) => launcherOf((name) => variables[name] ?? null);

Deno.test("the launcher is known by its variables", () => {
  strictEqual(under({}), null);
  strictEqual(under({ OMPI_COMM_WORLD_RANK: "1", PMIX_RANK: "1" })?.name, "Open MPI");
  strictEqual(under({ OMPI_COMM_WORLD_RANK: "1" })?.rank, 1);
  strictEqual(under({ PMI_RANK: "0" })?.name, "MPICH");
  strictEqual(under({ PMI_RANK: "0", PMI_SIZE: "4" })?.size, 4);
  strictEqual(under({ PMIX_RANK: "1", SLURM_STEP_NUM_TASKS: "3" })?.size, 3);
  strictEqual(under({ PMI_RANK: "0" })?.size, null);
});

Deno.test("a task that Slurm has started without MPI is told about srun's option", () => {
  match(howToStartRanks(() => null), /mpirun -n 2/);
  match(howToStartRanks((name) => name === "SLURM_STEP_NUM_TASKS" ? "2" : null), /--mpi=pmi2/);
});

Deno.test("TACHO_MPI names the library", () => {
  deepStrictEqual(under({ PMI_RANK: "0", TACHO_MPI: "/opt/libmpi.so" })?.libraries, ["/opt/libmpi.so"]);
  deepStrictEqual(under({ TACHO_MPI: "/opt/libmpi.so" }), null);
});
