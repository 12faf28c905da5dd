import { ExitStatus, InputError } from "../../core/errors.ts";
import type { RunRecord, RunSummary } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { parseCommand } from "../parse_command.ts";
import { runScript } from "../script_process.ts";
import { createCommand } from "./command.ts";
import { needStore } from "./store_access.ts";

/** Takes up a run that was interrupted. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "resume",
    description:
      "Takes up a run that was interrupted, killed or failed: runs its script again with the same arguments " +
      "in the same folder, where the rounds that are missing are measured. Refuses when the script or the settings are not " +
      "the same any more. A script's own --resume flag does the same.",
    examples: [
      ["tacho resume", "the latest run that did not get to its end"],
      ["tacho resume 1m7xt", "another"],
      ["tacho resume last --verbosity 1", "with more flags for the script"],
    ],
  })
    .argument("[run]", "the run's id, a part of it, last or last~1")
    .argument("[flags...]", "more flags for the script")
    .passThroughOptions();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const [name, more] = command.processedArgs;
  const { store: folder } = command.opts();
  let kept: RunRecord;
  let place: string;
  {
    using store = needStore(folder);
    kept = store.run(name === undefined ? latestUnfinished(store).id : store.resolve(name));
    place = store.folder;
  }
  if (kept.status === "complete") throw new InputError(`Run ${kept.id} is complete: there is nothing to take up`);
  if (kept.script === null) {
    throw new InputError(`Run ${kept.id}: its script is no local file, so that it cannot be started`);
  }
  await checkPlace(kept);
  return await runScript(
    kept.script,
    [...withoutStore(kept.args), ...more, "--store", place, `--resume=${kept.id}`],
    kept.cwd,
  );
}

function latestUnfinished(store: Store): RunSummary {
  const found = ["interrupted", "failed"] as const;
  const runs = found.flatMap((status) => store.find({ status, limit: 1 })).sort((a, b) => b.started - a.started);
  if (runs[0] !== undefined) return runs[0];
  throw new InputError(`tacho resume: every run in ${store.file} is complete or still going on`);
}

async function checkPlace({ id, script, cwd }: RunRecord): Promise<void> {
  for (const place of [cwd, script!]) {
    try {
      await Deno.stat(place);
    } catch (cause) {
      throw new InputError(
        `Run ${id} was started with ${script} in ${cwd}, and ${place} cannot be found any more; put it back, or run the ` +
          `kept script anew with "tacho repeat ${id}"`,
        { cause },
      );
    }
  }
}

/** The arguments but those that say where the run is kept and which it is. */
function withoutStore(args: readonly string[]): string[] {
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--store") i++;
    else if (arg === "--resume") i += args[i + 1] !== undefined && /^[\w~]+$/.test(args[i + 1]!) ? 1 : 0;
    else if (!/^--(store|resume)=|^--no-store$/.test(arg)) rest.push(arg);
  }
  return rest;
}
