/**
 * Limits on the jobs of a user, which a site with accounting keeps in its database: of associations (user and account), and
 * of the quality of service (QOS) that a job has by its options, its partition or its association. Slurm refuses a job array
 * whose tasks exceed a limit on submitted jobs, and lets jobs beyond a limit on running ones wait.
 *
 * @module
 */
/** Limits for the jobs of this user. */
export interface SubmitLimits {
  /** Number of jobs that may be submitted at any time; null without a limit. */
  readonly submitted: number | null;
  /** Number of jobs that may run at the same time; null without a limit. */
  readonly running: number | null;
}

/** Runs a query and returns its output; null where it has none. */
export type Query = (program: string, ...args: readonly string[]) => Promise<string | null>;

const NONE: SubmitLimits = { submitted: null, running: null };

/** Columns of associations and of QOS. */
const ASSOCIATION = "Account,Partition,DefaultQOS,MaxSubmitJobs,GrpSubmitJobs,MaxJobs,GrpJobs";
const QOS = "Name,MaxSubmitJobsPerUser,MaxSubmitJobsPerAccount,GrpSubmitJobs,MaxJobsPerUser,MaxJobsPerAccount,GrpJobs";

/** QOS of a site whose associations name none. */
const DEFAULT_QOS = "normal";

/** Reads the limits for a job of `user`; none where nothing is accounted. */
export async function readSubmitLimits(query: Query, user: string, place: JobPlace): Promise<SubmitLimits> {
  const flags = ["--noheader", "--parsable2", "show"];
  const ofUser = `associations where user=${user} format=${ASSOCIATION}`.split(" ");
  const associations = await query("sacctmgr", ...flags, ...ofUser);
  if (associations === null) return NONE;
  const partitions = await query("scontrol", "show", "partition", "--oneliner") ?? "";
  const qos = await query("sacctmgr", ...flags, "qos", `format=${QOS}`) ?? "";
  const limits = limitsOf({ associations, partitions, qos }, place);
  if (limits.submitted === null) return limits;
  // One line for each task
  const queue = await query("squeue", "--noheader", "--array", `--user=${user}`, "--format=%i") ?? "";
  const free = limits.submitted - queue.split("\n").filter((line) => line !== "").length;
  return { ...limits, submitted: Math.max(0, free) };
}

/** Output of the queries. */
export interface Accounts {
  readonly associations: string;
  readonly partitions: string;
  readonly qos: string;
}

/** Returns the smallest limits that hold for a job. Without a named account, those of all accounts of the user. */
export function limitsOf({ associations, partitions, qos }: Accounts, place: JobPlace): SubmitLimits {
  const partition = partitionOf(partitions, place.partition);
  const applying = rows(associations).filter(([account, only]) =>
    (place.account === null || account === place.account) && (only === "" || only === partition.name)
  );
  const names = new Set([place.qos, partition.qos, ...place.qos === null ? applying.map(([, , name]) => name) : []]);
  if (place.qos === null && applying.every(([, , name]) => name === "")) names.add(DEFAULT_QOS);
  const services = rows(qos).filter(([name]) => names.has(name!));
  return {
    submitted: smallest([
      ...applying.flatMap(([, , , most, group]) => [most, group]),
      ...services.flatMap(([, user, account, group]) => [user, account, group]),
    ]),
    running: smallest([
      ...applying.flatMap(([, , , , , most, group]) => [most, group]),
      ...services.flatMap(([, , , , user, account, group]) => [user, account, group]),
    ]),
  };
}

/** Returns the partition of a job and its QOS, from `scontrol show partition --oneliner`. */
function partitionOf(
  text: string,
  named: string | null,
): { readonly name: string | null; readonly qos: string | null } {
  const lines = text.split("\n");
  const isChosen = (line: string) =>
    named === null ? / Default=YES /.test(line) : line.match(/^PartitionName=(\S+)/)?.[1] === named;
  const line = lines.find(isChosen) ?? "";
  const qos = line.match(/ QoS=(\S+)/)?.[1];
  return {
    name: line.match(/^PartitionName=(\S+)/)?.[1] ?? named,
    qos: qos === undefined || qos === "N/A" ? null : qos,
  };
}

function rows(text: string): string[][] {
  return text.split("\n").filter((line) => line.trim() !== "").map((line) =>
    line.split("|").map((field) => field.trim())
  );
}

function smallest(fields: readonly (string | undefined)[]): number | null {
  const limits = fields.filter((field) => field !== undefined && /^\d+$/.test(field)).map(Number);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Parts of a site that a job is submitted to; null for the defaults. */
export interface JobPlace {
  readonly partition: string | null;
  readonly qos: string | null;
  readonly account: string | null;
}

/**
 * Returns the place that a job is submitted to: variables of sbatch, which it prefers, or options of the job script.
 *
 * @param options options of sbatch
 * @param variable reads an environment variable
 */
export function jobPlace(
  options: readonly string[],
  variable: (name: string) => string | undefined,
): JobPlace {
  return {
    partition: variable("SBATCH_PARTITION") || valueOf(options, "--partition", "-p"),
    qos: variable("SBATCH_QOS") || valueOf(options, "--qos", "-q"),
    account: variable("SBATCH_ACCOUNT") || valueOf(options, "--account", "-A"),
  };
}

/** Returns the last value of an option: `--name=x`, `--name x`, `-nx` or `-n x`. */
function valueOf(options: readonly string[], name: string, short: string): string | null {
  let value: string | null = null;
  for (const [i, option] of options.entries()) {
    if (option === name || option === short) value = options[i + 1] ?? value;
    else if (option.startsWith(`${name}=`)) value = option.slice(name.length + 1);
    else if (option.startsWith(short) && !option.startsWith("--")) value = option.slice(short.length);
  }
  return value;
}
