/** An environment variable that Tacho reads. */
export interface EnvironmentVariable {
  readonly name: string;
  /** A phrase for `--help` and the reference. */
  readonly description: string;
}

/** Every variable that changes what Tacho does. */
export const ENVIRONMENT_VARIABLES: readonly EnvironmentVariable[] = [
  {
    name: "TACHO_STORE",
    description: "folder of kept runs (default: tacho in XDG_DATA_HOME, else ~/.local/share/tacho)",
  },
  {
    name: "TACHO_CACHE",
    description:
      "folder of generated data, kernel times and adapter peaks (default: tacho in XDG_CACHE_HOME, else ~/.cache/tacho)",
  },
  { name: "DENO_WEBGPU_BACKEND", description: "vulkan (the default on Linux), metal, dx12 or gl" },
  {
    name: "TACHO_WITHOUT",
    description: "features to leave unused: timestamp-query, shader-f16, subgroups, separated by commas",
  },
  {
    name: "TACHO_KERNELS",
    description: "cpu or gpu: use the kernels for that kind of adapter on any adapter",
  },
  {
    name: "TACHO_GRACE",
    description: "seconds without progress after which an interrupted run is ended (default: 10)",
  },
  { name: "TACHO_MPI", description: "MPI library to load under `mpirun` (default: the launcher's, by name)" },
  {
    name: "TACHO_RANK_TIMEOUT",
    description: "seconds without a sign of life after which a rank counts as lost (default: 30)",
  },
  {
    name: "TACHO_NETWORK",
    description:
      "slower network to emulate in all-reduces of gradients: a latency, a bandwidth or both, as 2ms,100MB/s",
  },
  { name: "NO_COLOR", description: "print without colours" },
];
