import { type Cause, CAUSES } from "../../record/idle_causes.ts";
import { figures, names, type TableSpec } from "../spec.ts";
import { type ProfiledProgram, profiledPrograms, type WithPrograms } from "./attached.ts";

/** Headings of the causes of idle time. */
const HEADINGS: Readonly<Record<Cause, readonly [string] | readonly [string, string]>> = {
  gaps: ["kernel", "gaps"],
  copies: ["copies"],
  encode: ["encode"],
  submit: ["submit"],
  upload: ["upload"],
  read: ["mapped", "reads"],
  compile: ["compile"],
  wait: ["wait"],
  sleep: ["runtime", "sleep"],
  host: ["own", "code"],
  unexplained: ["unexplained"],
};

/** Returns the table of the wall time of each program's step: kernels, and idle time of the device by cause. */
export function stepAccountTable(result: WithPrograms): TableSpec<ProfiledProgram> {
  const rows = profiledPrograms(result).filter(({ device }) => device.account !== null);
  const causes = CAUSES.filter((cause) => rows.some(({ device }) => device.account!.idle[cause] > 0));
  return {
    title: "A step of each program, in ms",
    columns: [
      names("variant", ({ name }) => name),
      figures("wall time", ({ device }) => device.account!.wall, { heading: ["wall", "time"], unit: "ms" }),
      figures("kernels", ({ device }) => device.account!.kernels, { unit: "ms" }),
      ...causes.map((cause, i) =>
        figures<ProfiledProgram>(cause, ({ device }) => device.account!.idle[cause], {
          heading: HEADINGS[cause],
          unit: "ms",
          dropFirst: i,
        })
      ),
    ],
    rows,
    notes: [
      "means of timed steps, from a further run with each dispatch in a separate pass; beside the kernels, the device " +
      "is idle, by cause",
    ],
  };
}
