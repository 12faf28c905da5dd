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

/** Systems whose annotations can be written; `auto` takes that of the running job, if any. */
const ANNOTATED = ["github", "gitlab", "auto"] as const;

export const ANNOTATIONS = new Option(
  "--annotations <system>",
  "annotate unmet gates at the variant's line: github prints them and adds the report to the job's summary, gitlab " +
    "writes gl-code-quality-report.json, auto does what the CI job's system needs",
).argParser(oneOf<typeof ANNOTATED[number]>("--annotations", ANNOTATED));

export const JUNIT = new Option(
  "--junit <file>",
  "write variants and gates as test cases to a JUnit file (- for stdout)",
);
