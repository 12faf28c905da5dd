import { relative } from "node:path";
import { InputError, TachoError } from "../../../core/errors.ts";
import { describeEnvironment } from "../../../experiment/environment.ts";
import { collectModules } from "../../../store/collect_modules.ts";
import { type DryRun, readDryRun, specOf } from "../recipe_of_script.ts";
import { experimentArgs, flagValue } from "../experiment_args.ts";
import { pinImports } from "../fetch_imports.ts";
import type { Origin } from "../recipe.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { writeError } from "../../terminal.ts";
import type { SandboxChoice } from "./choice.ts";
import { grantText } from "./grants.ts";
import { openSandbox, prepareInputs } from "./open_sandbox.ts";
import { runSandboxed, type Sandbox } from "./sandbox_process.ts";
import { onlyPrints, printInSandbox, runInSandbox } from "./sandboxed_run.ts";

/** Maximum size of the settings of all variants as JSON. */
const LARGEST_SETTINGS = 64 * 2 ** 20;

/**
 * Runs a script in a sandbox, from a copy of its modules.
 *
 * @returns the exit status
 * @throws {InputError} if the script imports what the sandbox does not allow, or reads data that the user has not named
 */
export async function runScriptInSandbox(
  script: string,
  args: readonly string[],
  { readable }: Pick<SandboxChoice, "readable">,
): Promise<number> {
  const prints = onlyPrints(args); // throws if a flag is wrong
  const modules = await collectModules(script, [], { offline: true });
  const pinned = await pinImports(modules, script, false);
  using workspace = await openWorkspace(modules, script, pinned);
  const named = { data: flagValue(args, "--data"), readable };
  const local = relative(Deno.cwd(), script);
  const origin = { where: script, script: local.startsWith("..") ? script : local };
  const sandbox = await openSandbox(workspace, { ...origin, pinned }, named);
  writeError(`${grantText(script, sandbox.grants, "as --sandbox asks")}\n`);
  if (prints) return await printInSandbox(workspace, sandbox, origin, args);
  const environment = { ...await describeEnvironment(null, { changes: false }), lockHash: workspace.lockHash };
  const settings = await settingsOf(workspace, sandbox, origin, args);
  const spec = specOf(settings, modules[0]!.sha256, environment.tacho);
  await prepareInputs(workspace, sandbox, { ...origin, pinned, spec }, named);
  return (await runInSandbox(workspace, sandbox, { ...origin, modules }, { args, environment, quiet: false })).status;
}

/** Resolves the script's settings in the sandbox, by a dry run. */
async function settingsOf(
  workspace: Workspace,
  sandbox: Sandbox,
  origin: Origin,
  args: readonly string[],
): Promise<DryRun> {
  const lines: string[] = [];
  const status = await runSandboxed(workspace, sandbox, {
    ...origin,
    args: [...experimentArgs(args), "--dry-run", "--json", "-", "--no-store"],
    longest: LARGEST_SETTINGS,
    onEvent: () => {},
    onLine: (line, stream) => stream === "stdout" ? lines.push(line) : writeError(`${line}\n`),
  });
  const settings = readDryRun(lines.join("\n"));
  if (settings !== null) return settings;
  if (status !== 0) throw new TachoError(`${origin.where}: its scenario could not be resolved; see above`, status);
  throw new InputError(
    `${origin.where}: is not a scenario script; expected one that ends with: if (import.meta.main) await run()`,
  );
}
