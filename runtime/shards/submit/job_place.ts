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
