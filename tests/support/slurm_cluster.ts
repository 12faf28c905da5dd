import { join } from "node:path";
import { isFile } from "../../runtime/core/files.ts";

/** Programs that the cluster needs. */
const PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue"];

/** Time for the nodes to become idle, in ms. */
const START_MS = 300_000;

/** Pause between two looks at the cluster, in ms. */
const POLL_MS = 200;

/** Returns true where a cluster can be started: as root, on a machine with Slurm and MUNGE. */
export function canStartSlurm(): boolean {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return Deno.build.os === "linux" && Deno.uid() === 0 &&
    PROGRAMS.every((name) => folders.some((folder) => isFile(join(folder, name))));
}

/** A Slurm cluster of two nodes, `n1` and `n2`, on this machine. Its files are in one folder, which is removed on disposal. */
export class SlurmCluster implements AsyncDisposable {
  readonly folder: string;
  readonly #daemons: Deno.ChildProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(): Promise<SlurmCluster> {
    const cluster = new SlurmCluster(await Deno.makeTempDir({ prefix: "tacho-slurm-" }));
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs a command of Slurm in the cluster's folder and returns its stdout. Throws if it fails. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      cwd: this.folder,
      env: this.env,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    if (!success) throw new Error(`${program} ${args.join(" ")}: ${decoder.decode(stderr)}`);
    return decoder.decode(stdout).trim();
  }

  /**
   * Signals the script of the job that runs on a node, as Slurm does before a time limit. scancel repeats signals that a
   * busy cluster answers late, which then reach the script again after it was requeued.
   */
  signalScript(node: string, signal: Deno.Signal): void {
    const script = new RegExp(`${this.folder}/spool-${node}/job\\d+/slurm_script`);
    const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) =>
      script.test(commandOf(pid))
    );
    // Subshells of the script were started later
    Deno.kill(Math.min(...pids), signal);
  }

  /** Environment in which Slurm's commands use this cluster, and Tacho a store in its folder. */
  get env(): Record<string, string> {
    return { SLURM_CONF: join(this.folder, "slurm.conf"), TACHO_STORE: join(this.folder, "store") };
  }

  /** Waits until no job is left. Requeued tasks start again immediately, where Slurm waits for two minutes. */
  async untilEmpty(limit = 900_000): Promise<void> {
    await this.until(async () => {
      const jobs = (await this.run("squeue", "-h", "-r", "-o", "%i %r")).split("\n").filter((line) => line !== "");
      for (const [job, reason] of jobs.map((line) => line.split(" "))) {
        if (reason !== "BeginTime") continue;
        await this.run("scontrol", "update", `jobid=${job}`, "starttime=now").catch(() => {}); // it has started
      }
      return jobs.length === 0;
    }, limit);
  }

  /** Waits until `done` returns true. Throws with the cluster's queue after `limit` ms. */
  async until(done: () => Promise<boolean>, limit = START_MS): Promise<void> {
    for (const end = Date.now() + limit; !await done();) {
      if (Date.now() > end) {
        throw new Error(`Slurm: nothing happened in ${limit} ms\n${await this.run("squeue", "--all")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const daemon of this.#daemons.reverse()) {
      try {
        daemon.kill("SIGTERM");
      } catch {
        // It has ended
      }
      await daemon.status;
    }
    await Deno.remove(this.folder, { recursive: true });
  }

  async #start(): Promise<void> {
    const { folder } = this;
    const key = join(folder, "munge.key");
    await Deno.writeFile(key, crypto.getRandomValues(new Uint8Array(1024)), { mode: 0o400 });
    await Deno.writeTextFile(join(folder, "slurm.conf"), configuration(folder, freePorts(3)));
    const files = ["pid", "log", "seed"].map((kind) => `--${kind}-file=${join(folder, `munge.${kind}`)}`);
    this.#spawn("munged", "--foreground", "--force", `--key-file=${key}`, `--socket=${socket(folder)}`, ...files);
    await this.until(() => Promise.resolve(exists(socket(folder))));
    this.#spawn("slurmctld", "-D");
    this.#spawn("slurmd", "-D", "-N", "n1");
    this.#spawn("slurmd", "-D", "-N", "n2");
    await this.until(async () => {
      const nodes = await this.run("scontrol", "show", "nodes", "--oneliner").catch(() => "");
      return nodes.match(/State=IDLE /g)?.length === 2;
    });
  }

  #spawn(program: string, ...args: readonly string[]): void {
    const options = { env: this.env, cwd: this.folder, stdin: "null", stdout: "null", stderr: "null" } as const;
    this.#daemons.push(new Deno.Command(program, { args: [...args], ...options }).spawn());
  }
}

function configuration(folder: string, [control, n1, n2]: readonly number[]): string {
  return `ClusterName=tacho
SlurmctldHost=localhost
SlurmctldPort=${control}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=${socket(folder)}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool-%n
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd-%n.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=${n1} CPUs=1 RealMemory=8000 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=${n2} CPUs=1 RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}

function socket(folder: string): string {
  return join(folder, "munge.socket");
}

function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, () => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
  const ports = listeners.map(({ addr }) => addr.port);
  for (const listener of listeners) listener.close();
  return ports;
}

function commandOf(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`);
  } catch {
    return ""; // no process, or one that has ended
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
