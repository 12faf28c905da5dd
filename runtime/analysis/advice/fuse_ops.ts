import type { Finding } from "../../result/finding.ts";
import { ms, worthwhile } from "./evidence.ts";
import { type AdviceInput, settingsOf } from "./input.ts";
import { opTime } from "./op_times.ts";
import { deviceTime, partsOf, shortened } from "./step_parts.ts";

/** Ops that become the end of the one before them, so that their reading and writing is spared. */
const JOINED: ReadonlySet<string> = new Set(["relu", "gelu", "tanh", "sigmoid", "add", "bias_add"]);

/** Joins ops into one kernel where the scenario keeps them apart. */
export function fuseOps(input: AdviceInput): Finding | null {
  const { variant } = input;
  const settings = settingsOf(variant);
  const parts = settings === null ? null : partsOf(input, settings);
  const device = deviceTime(variant);
  if (settings === null || parts === null || device === null || settings.compile.fusion === true) return null;
  const apart = variant.ops.filter(({ type, phase }) => phase === "forward" && JOINED.has(type));
  const all = opTime(variant.ops);
  if (apart.length === 0 || all === 0) return null;
  const saved = device * opTime(apart) / all;
  const { gain, limit } = shortened(parts, saved);
  return worthwhile({
    kind: "fuse-ops",
    message: `${apart.length} ops read and write what the op before them could finish: let them be joined`,
    evidence: [
      { label: "activations and additions", value: `${ms(opTime(apart))} of ${ms(all)}`, where: "ops" },
      { label: apart[0]!.name, value: ms(apart[0]!.mean ?? 0), where: `op:${apart[0]!.id}` },
    ],
    changes: [{ path: "compile.fusion", from: settings.compile.fusion, to: true }],
    gain,
    reasoning:
      `joined to the op before, they need no reading and writing of their own: ${ms(saved)} of ${ms(device)} on ` +
      `the device${limit}`,
  });
}
