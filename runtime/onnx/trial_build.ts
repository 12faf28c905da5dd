import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { clipped } from "../core/shown.ts";
import { Graph } from "../graph/graph.ts";
import { activation } from "../graph/types.ts";
import { elementType } from "./format/element_types.ts";
import { addValues } from "./importer.ts";
import { inputFields } from "./value_info.ts";
import type { LoadedModel } from "./loaded_model.ts";
import { fuse } from "./patterns/fuse.ts";
import { isConstant } from "./value.ts";

/** Size of dimensions that nobody gives, large enough for the windows of most networks. */
const OPEN_SIZE = 64;

/** Sizes for the dimensions that a file leaves open. */
export interface OpenSizes {
  readonly batchSize: number;
  /** Sizes of named dimensions. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Outcome of building a model for some sizes. */
export interface Trial {
  /** True if all outputs are computed, false if not; null if it failed with sizes that nobody gave. */
  readonly builds: boolean | null;
  /** Reason why the model does not build; null if it does. */
  readonly problem: string | null;
}

/** Builds a model, without its weights' elements, to find out if it can be. */
export function tryToBuild(model: LoadedModel, { batchSize, sizes }: OpenSizes): Trial {
  const open = new Set<string>();
  const graph = new Graph("infer");
  const fields = inputFields(model.inputs.map(({ name }) => name));
  try {
    const inputs = new Map(model.inputs.map(({ name, type, shape }, i) => {
      if (shape === null) open.add(`the shape of "${clipped(name)}"`);
      const full = (shape ?? []).map((size, d) => {
        if (d === 0) return batchSize;
        if (typeof size === "number") return size;
        const given = size === null ? undefined : sizes.get(size);
        if (given === undefined) open.add(clipped(size ?? `dimension ${d} of "${name}"`));
        return given ?? OPEN_SIZE;
      });
      const isWhole = type !== null && type !== 0 &&
        elementType(type, `the input "${clipped(name)}"`).kind === "integer";
      return [name, graph.input(fields[i]!, activation(full, isWhole ? "i32" : "f32"))];
    }));
    const names = model.outputs.map(({ name }) => name);
    if (inputs.size === 0 || names.length === 0) throw new InputError("it has no inputs or no outputs");
    const values = addValues({ ...model, graph: fuse(model, names) }, model, graph, inputs, names);
    const missing = values.indexOf(null);
    if (missing >= 0) throw new InputError(`no node computes the output "${clipped(names[missing]!)}"`);
    if (isConstant(values[0])) throw new InputError(`the output "${clipped(names[0]!)}" does not depend on the inputs`);
    return { builds: true, problem: null };
  } catch (error) {
    if (!isInstance(error, InputError)) throw error;
    if (open.size === 0) return { builds: false, problem: error.message };
    return { builds: null, problem: `the file leaves open ${clipped([...open].join(", "), 300)}` };
  }
}
