import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { shown } from "../core/shown.ts";
import { layerOptions } from "../nn/options.ts";
import type { OnnxModel } from "./model_type.ts";

/** Options of {@linkcode onnx}. */
export interface OnnxOptions {
  /** Name of the value that the model returns: an output, or any value between nodes. Default: the first output. */
  output?: string;
  /**
   * Weights that are not trained: names in the file, in which `*` matches any characters, or `true` for all. Default: what the
   * graph uses as a weight, bias, scale or slope is trained.
   */
  freeze?: true | string | readonly string[];
  /** Tensors that are trained all the same, by name, whatever the graph uses them for and whatever `freeze` says. */
  train?: string | readonly string[];
}

const schema = z.strictObject({
  output: z.string({ error: "expected the name of a value" }).optional(),
  freeze: z.union([z.literal(true), z.string(), z.array(z.string())], {
    error: "expected names of weights, or true",
  }).optional(),
  train: z.union([z.string(), z.array(z.string())], { error: "expected names of tensors" }).optional(),
});

/**
 * Reads a model from an ONNX file (https://onnx.ai). It is used like any other layer, alone or inside of another, and trained
 * from the weights in the file.
 *
 * What the graph uses as a weight, bias, scale or slope is a parameter under its name in the file; masks, tables of positions,
 * constants that normalise the input, and other buffers are not trained. The model's `tensors` list all of them, with the
 * reason. Batch normalisations and dropouts follow the scenario's `mode`: in training they use the statistics of the batch.
 * Floats of any size are computed in f32, or as `amp` says.
 *
 * @example
 * ```ts
 * import { crossEntropy, onnx, run, scenario, sgd, syntheticImages } from "@tacho/tacho";
 *
 * export default scenario({
 *   name: "imported",
 *   model: await onnx("model.onnx"),
 *   loss: crossEntropy(),
 *   optimizer: sgd({ learningRate: 0.01 }),
 *   data: syntheticImages({ channels: 3, height: 32, width: 32, classes: 10, length: 256 }),
 *   variants: { baseline: {}, amp: { amp: "O2" } },
 * });
 *
 * if (import.meta.main) await run();
 * ```
 *
 * @param file path or file URL, or the bytes of a file
 * @throws {InputError} if the file cannot be read, is damaged, or has operators that Tacho does not have, which are listed; on
 * application, if an input does not fit
 */
export async function onnx(file: string | URL | Uint8Array, options: OnnxOptions = {}): Promise<OnnxModel> {
  const checked = layerOptions("onnx", schema, options);
  if (typeof file !== "string" && !isInstance(file, URL) && !isInstance(file, Uint8Array)) {
    throw new InputError(`onnx: expected the path of a file, or its bytes, got ${shown(file)}`);
  }
  const { openModel } = await import("./open_model.ts");
  return openModel(file, checked.output ?? null, checked.freeze ?? [], checked.train ?? []);
}
