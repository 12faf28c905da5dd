import { Option } from "@commander-js/extra-typings";
import { oneOf } from "./flag_values.ts";

/** Condition that a result must meet. */
export const GATE = new Option(
  "--gate <condition>",
  "exit with status 1 unless it holds: speedup.sink>=1.1, batchCost.baseline<=+5%@last; may be repeated",
).argParser((text: string, earlier: string[] | undefined) => [...earlier ?? [], text]);

/** Outcome of a gate whose interval includes the limit. */
export const GATE_UNDECIDED = new Option(
  "--gate-undecided <what>",
  "pass or fail gates whose interval includes the limit (default: fail)",
).argParser(oneOf<"pass" | "fail">("--gate-undecided", ["pass", "fail"]));
