/**
 * The transformers in Tacho, step by step, for their processor time: the command line of `tacho_transformer.ts` does more
 * than train.
 */
import { createTrainer } from "../../mod.ts";
import { measureSteps } from "./steps.ts";
import definition from "./tacho_transformer.ts";
import { settingsOf } from "./tacho_weights.ts";
import { namedTask } from "./transformers.ts";

const task = namedTask(Deno.args[0]);
const trainer = await createTrainer(definition, { overrides: await settingsOf(task) });
let last = Promise.resolve(0);
const dispatch = () => last = last.then(() => trainer.step()).then(({ loss }) => loss);
await measureSteps("tacho", dispatch, (loss) => loss);
