import { writeSafetensors } from "../../runtime/data/safetensors/write.ts";
import { drawParameters, type Transformer } from "./transformers.ts";

/** Writes the weights of a transformer to a temporary file, and returns the settings of its training. */
export async function settingsOf(task: Transformer): Promise<string[]> {
  const file = await Deno.makeTempFile({ suffix: ".safetensors" });
  await writeWeights(task, file);
  const { name, batch, learningRate } = task;
  return [`net=${name}`, `loader.batchSize=${batch}`, `optimizer.learningRate=${learningRate}`, `weights=${file}`];
}

/** Writes the weights of a transformer to a safetensors file, by Tacho's names of the parameters. */
async function writeWeights(task: Transformer, file: string): Promise<void> {
  const renamed = [...drawParameters(task)].map(([name, tensor]) =>
    [
      name === "positions"
        ? "positions.weight"
        : name.replace(/project\.(\w+)$/, "attention.in_proj_$1").replace(/join\.(\w+)$/, "attention.out_proj.$1"),
      tensor,
    ] as const
  );
  await writeSafetensors(file, new Map(renamed));
}
