import { environment } from "../device/environment.ts";

/** Program that started this process as one of several ranks. */
export interface Launcher {
  readonly name: string;
  /** Libraries to try, in order. */
  readonly libraries: readonly string[];
  /** Debian package of the library. */
  readonly pack: string;
  /** Rank of this process. */
  readonly rank: number;
  /** Number of processes that it started; null if it does not say. */
  readonly size: number | null;
}

type Implementation = Omit<Launcher, "rank" | "size">;

const OPEN_MPI: Implementation = { name: "Open MPI", libraries: ["libmpi.so.40", "libmpi.so"], pack: "libopenmpi3" };
const MPICH: Implementation = { name: "MPICH", libraries: ["libmpich.so.12", "libmpi.so.12"], pack: "libmpich12" };

/** Variables in which launchers pass its rank and the number of ranks to each process. The last is of Slurm with PMIx. */
const LAUNCHERS: readonly (readonly [rank: string, size: string, implementation: Implementation])[] = [
  ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", OPEN_MPI],
  ["PMI_RANK", "PMI_SIZE", MPICH],
  ["PMIX_RANK", "SLURM_STEP_NUM_TASKS", OPEN_MPI],
];

/** Returns the launcher that started this process; null if it was started alone. */
export function launcherOf(read: (name: string) => string | null = environment): Launcher | null {
  const [variable, count, found] = LAUNCHERS.find(([variable]) => read(variable) !== null) ?? [];
  if (variable === undefined || count === undefined || found === undefined) return null;
  const library = read("TACHO_MPI");
  const { libraries } = library === null || library === "" ? found : { libraries: [library] };
  const size = Number(read(count));
  return { ...found, libraries, rank: Number(read(variable)), size: size > 0 ? size : null };
}

/** Returns how to start several ranks, for a process that knows no others. */
export function howToStartRanks(read: (name: string) => string | null = environment): string {
  return Number(read("SLURM_STEP_NUM_TASKS")) > 1
    ? "Slurm has started its tasks without MPI; pass --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH) to srun"
    : "start it as mpirun -n 2 deno run -A SCRIPT";
}

/** Returns true on ranks other than 0, which print nothing and write no files. */
export function followsRank0(): boolean {
  return (launcherOf()?.rank ?? 0) > 0;
}
