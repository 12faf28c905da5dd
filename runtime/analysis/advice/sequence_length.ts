import { attentionOps } from "./attention_ops.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { opTime } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Minimum fraction of the device time for attention to be reported. */
const SHARE = 0.25;

/** Names attention whose work, which grows with the square of the length, takes much of the step. */
export const sequenceLength = rule("sequence-length", ["device", "ops"], ({ device, ops, parts }) => {
  const attention = attentionOps(ops);
  const all = opTime(ops);
  if (attention === null || attention.time < SHARE * all) return null;
  const { length, time } = attention;
  const saved = device * time / all / 2;
  const { gain, limit } = shortened(parts, saved);
  return {
    message: `Attention over ${length} positions takes ${percent(time / all)} of the device time: its work per token ` +
      "grows with the length",
    evidence: [
      { label: "attention", value: `${ms(time)} of ${ms(all)}, ${attention.ops.length} ops`, where: "ops" },
      {
        label: attention.ops[0]!.layer,
        value: `${length} positions for each query`,
        where: `op:${attention.ops[0]!.id}`,
      },
    ],
    changes: [],
    gain,
    reasoning: `at half the length, with as many tokens in twice as many rows, attention saves half of its time: ` +
      `${ms(saved)} of the ${ms(device)} that a step takes on the device${limit}; this changes the training`,
  };
});
