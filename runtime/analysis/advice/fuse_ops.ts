import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { opTime } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Joins ops into one kernel where the scenario keeps them apart. */
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
    message: `${apart.length} ops read and write what the op before them could finish: let them be joined`,
    evidence: [
      { label: "elementwise ops", value: `${ms(opTime(apart))} of ${ms(all)}`, where: "ops" },
      { label: apart[0]!.name, value: ms(apart[0]!.mean ?? 0), where: `op:${apart[0]!.id}` },
    ],
    changes: [{ path: "compile.fusion", from: settings.compile.fusion, to: true }],
    gain,
    reasoning:
      `joined to the op before, they need no reading and writing of their own: ${ms(saved)} of ${ms(device)} on ` +
      `the device${limit}`,
  };
});
