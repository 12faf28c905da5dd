import { lstmLanguageModel } from "../../mod.ts";
import { add, mul, reshape, sigmoid, tanh } from "../support/reference/elementwise.ts";
import { lookUp } from "../support/reference/embedding.ts";
import { linearLayer } from "../support/reference/layers.ts";
import { linear } from "../support/reference/linear.ts";
import { concat, part } from "../support/reference/moving.ts";
import type { Pass } from "../support/reference/network.ts";
import { bySgd } from "./optimizers.ts";
import { Value } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";
import { tokenEntropy } from "./losses.ts";

const [LAYERS, WIDTH, HIDDEN, VOCABULARY] = [2, 10, 14, 13];

/** One layer of PyTorch's LSTM, position by position. */
function layer(pass: Pass, index: number, x: Value): Value {
  const { tape } = pass;
  const [n, t, features] = x.shape as [number, number, number];
  const named = (name: string) => pass.parameter(`rnn.${name}_l${index}`);
  let hidden = Value.zeros([n, HIDDEN]);
  let cell = Value.zeros([n, HIDDEN]);
  const outputs: Value[] = [];
  for (let position = 0; position < t; position++) {
    const input = reshape(tape, part(tape, x, 1, position, 1), [n, features]);
    const gates = add(
      tape,
      linear(tape, input, named("weight_ih"), named("bias_ih")),
      linear(tape, hidden, named("weight_hh"), named("bias_hh")),
    );
    const [i, f, g, o] = [0, 1, 2, 3].map((gate) => part(tape, gates, 1, gate * HIDDEN, HIDDEN)) as [
      Value,
      Value,
      Value,
      Value,
    ];
    const added = mul(tape, sigmoid(tape, i), tanh(tape, g));
    cell = add(tape, mul(tape, sigmoid(tape, f), cell), added);
    hidden = mul(tape, sigmoid(tape, o), tanh(tape, cell));
    outputs.push(reshape(tape, hidden, [n, 1, HIDDEN]));
  }
  return concat(tape, outputs, 1);
}

/** A language model of two LSTM layers. */
export const lstm: ModelCase = {
  name: "lstm",
  model: lstmLanguageModel({ vocabulary: VOCABULARY, width: WIDTH, hidden: HIDDEN, layers: LAYERS }),
  reference: (pass, tokens) => {
    let x = lookUp(pass.tape, pass.parameter("encoder.weight"), tokens);
    for (let i = 0; i < LAYERS; i++) x = layer(pass, i, x);
    return linearLayer(pass, "decoder", x);
  },
  batchSize: 3,
  input: [6],
  vocabulary: VOCABULARY,
  target: { classes: VOCABULARY, places: [6] },
  loss: tokenEntropy(),
  optimizer: bySgd({ learningRate: 0.5, momentum: 0.9 }),
  tolerance: 1e-4,
};
