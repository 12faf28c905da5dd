/** The transformers in Tacho, as a scenario that `tacho_train.ts` trains; it also runs alone. */
import {
  adamW,
  add,
  concat,
  conv2d,
  crossEntropy,
  expand,
  gelu,
  type Layer,
  layer,
  layerNorm,
  learnedPositions,
  linear,
  matmul,
  multiHeadAttention,
  parameter,
  reshape,
  run,
  scenario,
  sequential,
  slice,
  take,
  tensors,
  transpose,
  z,
} from "../../mod.ts";
import { ADAMW, drawTask, type Gpt, namedTask, patchesOf, type Transformer, type Vit } from "./transformers.ts";
import { CLASSES } from "./workload.ts";

export default scenario({
  name: "transformers",
  params: {
    net: z.enum(["gpt", "vit"]).default("gpt").describe("what is trained"),
  },
  model: ({ net }) => {
    const task = namedTask(net);
    return task.name === "gpt" ? gpt(task) : vit(task);
  },
  loss: crossEntropy(),
  optimizer: adamW(ADAMW),
  data: ({ net }) => data(namedTask(net)),
  loader: { batchSize: 8, shuffle: false },
});

function data(task: Transformer) {
  const { input, target } = drawTask(task);
  return task.name === "gpt"
    ? tensors({ input: { shape: [task.context], data: input }, target: { shape: [task.context], data: target } })
    : tensors({ input: { shape: task.shape, data: input }, target: { data: target } });
}

function gpt(task: Gpt): Layer {
  const table = parameter("tokens", [task.vocabulary, task.width]);
  const body = sequential({ positions: learnedPositions(task.context), ...layersOf(task) });
  return layer((tokens) => {
    const rows = table(tokens);
    return matmul(body(take(rows, tokens)), rows, { transposeB: true });
  });
}

function vit(task: Vit): Layer {
  const { width, patch } = task;
  const patches = sequential({ patches: conv2d(width, { kernel: patch, stride: patch }) });
  const first = parameter("class", [1, 1, width]);
  const body = sequential({ positions: learnedPositions(patchesOf(task) + 1), ...layersOf(task) });
  const head = sequential({ head: linear(CLASSES) });
  return layer((images) => {
    const n = images.shape[0]!;
    const rows = transpose(reshape(patches(images), [n, width, patchesOf(task)]), [0, 2, 1]);
    const y = body(concat([expand(first(images), [n, 1, width]), rows], 1));
    return head(reshape(slice(y, [null, [0, 1]]), [n, width]));
  });
}

/** Returns the blocks and the last norm. */
function layersOf(task: Transformer): Record<string, Layer> {
  const { layers, epsilon } = task;
  return { blocks: sequential(...Array.from({ length: layers }, () => block(task))), norm: layerNorm({ epsilon }) };
}

function block({ name, width, heads, epsilon }: Transformer): Layer {
  const causal = name === "gpt";
  const attend = sequential({ norm1: layerNorm({ epsilon }), attention: multiHeadAttention({ heads, causal }) });
  const mlp = sequential({
    norm2: layerNorm({ epsilon }),
    expand: linear(4 * width),
    gelu: gelu({ approximate: causal ? "tanh" : "none" }),
    contract: linear(width),
  });
  return layer((x) => {
    const y = add(x, attend(x));
    return add(y, mlp(y));
  });
}

if (import.meta.main) await run();
