import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { exactSchema } from "../../result/exact.ts";
import { memorySchema } from "../../result/variant.ts";
import { denoRun, type Workload } from "./workload.ts";
import { type Version, versionText } from "./version.ts";

const plannedSchema = z.looseObject({
  name: z.string(),
  exact: exactSchema.nullable().default(null),
  memory: memorySchema.nullable().default(null),
  kernels: z.array(z.strictObject({ name: z.string(), wgsl: z.string(), dispatches: z.int().positive() })).default([]),
  config: z.looseObject({ loader: z.looseObject({ batchSize: z.int().positive() }).optional() }),
  error: z.string().nullable().default(null),
});

const dryRunSchema = z.looseObject({ baseline: z.string(), variants: z.array(plannedSchema) });

/** A variant as a script plans it, without a device. */
export type PlannedVariant = z.infer<typeof plannedSchema>;

/**
 * Plans a script in a version by its `--dry-run`, and returns one of its variants. With `kernels`, the plan is for AMD's
 * GPUs and has the code of its kernels.
 *
 * @param variant its name; null for the baseline
 * @throws {InputError} if the script fails, or has no such variant
 */
export async function planScript(
  { file, args }: Extract<Workload, { kind: "script" }>,
  variant: string | null,
  version: Version,
  kernels = false,
): Promise<PlannedVariant> {
  const where = `${file} in ${versionText(version)}`;
  const chosen = variant === null ? [] : ["--variants", variant];
  const words = [
    ...denoRun(version.flags),
    file,
    ...args,
    ...chosen,
    "--dry-run",
    ...kernels ? ["--kernels"] : [],
    "--json",
    "-",
  ];
  const [program = "", ...rest] = words;
  const { code, stdout, stderr } = await new Deno.Command(program, { args: rest, cwd: version.cwd, stdin: "null" })
    .output();
  const decoder = new TextDecoder();
  if (code !== 0) {
    const lines = decoder.decode(stderr).trimEnd().split("\n").slice(-5).map((line) => `  ${line}`);
    throw new InputError(`${where} ended with status ${code}:\n${lines.join("\n")}`);
  }
  let plan: z.infer<typeof dryRunSchema>;
  try {
    plan = dryRunSchema.parse(JSON.parse(decoder.decode(stdout)));
  } catch (cause) {
    const reason = isInstance(cause, z.ZodError) ? z.prettifyError(cause) : "no JSON on stdout";
    throw new InputError(`${where}: its --dry-run is of another version of Tacho: ${reason}`, { cause });
  }
  const name = variant ?? plan.baseline;
  const planned = plan.variants.find((each) => each.name === name);
  if (planned === undefined) {
    const names = plan.variants.map((each) => each.name).join(", ");
    throw new InputError(`${where} has no variant "${name}"; it has ${names}`);
  }
  if (planned.error !== null) throw new InputError(`${where}: ${planned.error}`);
  return planned;
}
