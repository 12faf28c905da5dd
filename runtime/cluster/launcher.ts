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
}

type Implementation = Omit<Launcher, "rank">;

const OPEN_MPI: Implementation = { name: "Open MPI", libraries: ["libmpi.so.40", "libmpi.so"], pack: "libopenmpi3" };
const MPICH: Implementation = { name: "MPICH", libraries: ["libmpich.so.12", "libmpi.so.12"], pack: "libmpich12" };

/** Variables in which launchers pass its rank to each process. */
const LAUNCHERS: readonly (readonly [variable: string, implementation: Implementation])[] = [
  ["OMPI_COMM_WORLD_RANK", OPEN_MPI],
  ["PMI_RANK", MPICH],
  ["PMIX_RANK", OPEN_MPI],
];

/** Returns the launcher that started this process; null if it was started alone. */
export function launcherOf(read: (name: string) => string | null = environment): Launcher | null {
  const [variable, found] = LAUNCHERS.find(([variable]) => read(variable) !== null) ?? [];
  if (variable === undefined || found === undefined) return null;
  const library = read("TACHO_MPI");
  const { libraries } = library === null || library === "" ? found : { libraries: [library] };
  return { ...found, libraries, rank: Number(read(variable)) };
}

/** Returns true on ranks other than 0, which print nothing and write no files. */
export function followsRank0(): boolean {
  return (launcherOf()?.rank ?? 0) > 0;
}
