import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { shortened } from "./step_parts.ts";

/** Proposes reading losses at the end of a block if every step waits for its own. */
export const monitorLess = rule("monitor", [], ({ device, parts, settings, variant }) => {
  if (settings.monitor !== "step" || settings.sink !== 0) return null;
  const read = variant.profile?.host.find(({ name }) => name === "monitor loss");
  const slept = variant.metrics.runtimeWait?.value ?? 0;
  const saved = Math.min(parts.step - (device ?? 0), Math.max(read?.mean ?? 0, slept));
  // Workers make batches during the wait; without it the step may wait for them
  const { gain, limit } = shortened(parts, saved);
  const left = parts.step / gain;
  return {
    severity: gain > 2 ? "warning" : "info",
    message: "Every step waits for its loss to be read: read losses at the end of each block",
    evidence: [
      { label: "reading a loss", value: read === undefined ? "–" : ms(read.mean), where: "host" },
      { label: "sleep of the runtime", value: `${ms(slept)} per step`, where: "host" },
    ],
    changes: [{ path: "monitor", from: "step", to: "block" }],
    gain,
    reasoning: `without it a step takes ${ms(left)} instead of ${ms(parts.step)}${limit}`,
  };
});
