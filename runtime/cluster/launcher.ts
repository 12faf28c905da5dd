import { environment } from "../device/environment.ts";

/** Program that started this process as one of several ranks. */
export interface Launcher {
  readonly name: string;
  /** Libraries to try, in order. */
  readonly libraries: readonly string[];
  /** Debian package of the library. */
  readonly pack: string;
}

const OPEN_MPI: Launcher = { name: "Open MPI", libraries: ["libmpi.so.40", "libmpi.so"], pack: "libopenmpi3" };
const MPICH: Launcher = { name: "MPICH", libraries: ["libmpich.so.12", "libmpi.so.12"], pack: "libmpich12" };

/** Variables that launchers set for every rank. */
const LAUNCHERS: readonly (readonly [variable: string, launcher: Launcher])[] = [
  ["OMPI_COMM_WORLD_SIZE", OPEN_MPI],
  ["PMI_RANK", MPICH],
  ["PMIX_RANK", OPEN_MPI],
];

/** Returns the launcher that started this process; null if it was started alone. */
export function launcherOf(read: (name: string) => string | null = environment): Launcher | null {
  const found = LAUNCHERS.find(([variable]) => read(variable) !== null)?.[1];
  if (found === undefined) return null;
  const library = read("TACHO_MPI");
  return library === null || library === "" ? found : { ...found, libraries: [library] };
}
