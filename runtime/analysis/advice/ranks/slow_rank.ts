import { ms } from "../evidence.ts";
import { rule } from "../rule.ts";

const CAUSES = {
  data: "its data loading",
  device: "its device",
  copies: "its copies between device and host",
  host: "the work of its host",
} as const;

/** Names the rank that the others wait for, and where it loses its time. */
export const slowRank = rule("ranks-slow", ["allReduce"], ({ allReduce: { ranks }, parts }) => {
  const { straggler } = ranks;
  if (straggler === null) return null;
  const { rank, cause, excess } = straggler;
  const others = ranks.ranks.filter((other) => other.rank !== rank);
  const waits = others.map(({ allReduce }) => allReduce.wait);
  return {
    severity: "warning",
    message: `Rank ${rank} on ${ranks.ranks[rank]!.host} is slower than the others: look at ${CAUSES[cause]}`,
    evidence: [
      { label: `work of rank ${rank} beyond the others'`, value: ms(excess), where: "ranks" },
      { label: "wait of the others, per step", value: ms(Math.min(...waits)), where: "ranks" },
    ],
    changes: [],
    gain: parts.step / Math.max(parts.step / 2, parts.step - excess),
    reasoning: `without the delay, a step of ${ms(parts.step)} takes ${ms(excess)} less`,
  };
});
