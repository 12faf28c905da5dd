import { imageLayout } from "../../compile/variant.ts";
import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { opTime } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Proposes the default layout of images if the chosen one costs conversions or slower ops. */
export const layout = rule(
  "layout",
  ["device", "ops"],
  ({ baseline, baselineSettings, device, ops, parts, settings }) => {
    const { layout } = settings.compile;
    if (imageLayout(layout) === imageLayout("auto")) return null;
    const all = opTime(ops);
    const conversions = ops.filter(({ roles }) => roles.includes("relayout"));
    const compared = baselineSettings?.compile.layout === "auto"
      ? new Map(baseline!.ops.map(({ id, median }) => [id, median]))
      : null;
    const slower = ops.reduce((sum, { id, median }) => {
      const reference = compared?.get(id);
      return reference == null || median === null ? sum : sum + median - reference;
    }, 0);
    const saved = device * Math.max(0, opTime(conversions) + slower) / all;
    const { gain, limit } = shortened(parts, Math.min(saved, parts.step / 2));
    return {
      message: `Images are stored as ${layout}: use the default layout`,
      evidence: [
        { label: "conversions", value: `${ms(opTime(conversions))} of ${ms(all)}`, where: "ops" },
        ...compared === null
          ? []
          : [{ label: `ops against ${baseline!.name}`, value: `${ms(slower)} longer`, where: "ops" }],
      ],
      changes: [{ path: "compile.layout", from: layout, to: "auto" }],
      gain,
      reasoning: `${ms(saved)} of ${ms(device)} on the device are conversions${
        compared === null ? "" : ` and ops that take less time in ${baseline!.name}`
      }${limit}`,
    };
  },
);
