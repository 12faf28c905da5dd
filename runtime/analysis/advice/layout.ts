import type { Finding } from "../../result/finding.ts";
import { ms, worthwhile } from "./evidence.ts";
import { type AdviceInput, settingsOf } from "./input.ts";
import { opTime } from "./op_times.ts";
import { deviceTime, partsOf, shortened } from "./step_parts.ts";

/** Leaves the order of images in memory to the adapter, where the one that is set costs conversions or slower ops. */
export function layout(input: AdviceInput): Finding | null {
  const { variant, baseline } = input;
  const settings = settingsOf(variant);
  const parts = settings === null ? null : partsOf(input, settings);
  const device = deviceTime(variant);
  if (settings === null || parts === null || device === null || settings.compile.layout === "auto") return null;
  const all = opTime(variant.ops);
  if (all === 0) return null;
  const conversions = variant.ops.filter(({ type }) => type === "to_layout");
  const other = baseline === null ? null : settingsOf(baseline);
  const compared = other?.compile.layout === "auto" ? new Map(baseline!.ops.map(({ id, mean }) => [id, mean])) : null;
  const slower = variant.ops.reduce((sum, { id, mean }) => {
    const reference = compared?.get(id);
    return reference == null || mean === null ? sum : sum + mean - reference;
  }, 0);
  const saved = device * Math.max(0, opTime(conversions) + slower) / all;
  const { gain, limit } = shortened(parts, Math.min(saved, parts.step / 2));
  return worthwhile({
    kind: "layout",
    message: `Images are kept in ${settings.compile.layout}: leave the order to the adapter`,
    evidence: [
      { label: "conversions", value: `${ms(opTime(conversions))} of ${ms(all)}`, where: "ops" },
      ...compared === null
        ? []
        : [{ label: `ops against ${baseline!.name}`, value: `${ms(slower)} longer`, where: "ops" }],
    ],
    changes: [{ path: "compile.layout", from: settings.compile.layout, to: "auto" }],
    gain,
    reasoning: `${ms(saved)} of ${ms(device)} on the device are conversions${
      compared === null ? "" : ` and ops that take less time in ${baseline!.name}`
    }${limit}`,
  });
}
