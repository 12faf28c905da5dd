import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { opTime } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Proposes fusion if the scenario restricts it. */
export const fuseOps = rule("fuse-ops", ["device", "ops"], ({ device, ops, parts, settings }) => {
  if (settings.compile.fusion === true) return null;
  const apart = ops.filter(({ roles, phase, members }) =>
    phase === "forward" && roles.includes("elementwise") && members.length === 0
  );
  if (apart.length === 0) return null;
  const all = opTime(ops);
  const saved = device * opTime(apart) / all;
  const { gain, limit } = shortened(parts, saved);
  return {
    message: `${apart.length} ops read and write a tensor that the op before them could finish: fuse them`,
    evidence: [
      { label: "elementwise ops", value: `${ms(opTime(apart))} of ${ms(all)}`, where: "ops" },
      { label: apart[0]!.name, value: ms(apart[0]!.median ?? 0), where: `op:${apart[0]!.id}` },
    ],
    changes: [{ path: "compile.fusion", from: settings.compile.fusion, to: true }],
    gain,
    reasoning:
      `fused into the op before, they need no separate reads and writes: ${ms(saved)} of ${ms(device)} on the ` +
      `device${limit}`,
  };
});
