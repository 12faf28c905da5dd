/**
 * Flags that select what to print of a result.
 *
 * @module
 */
import { Option } from "@commander-js/extra-typings";
import { GROUPINGS } from "../analysis/op_groups.ts";
import { SORT_COLUMNS } from "../analysis/op_order.ts";
import { DIALECTS } from "../report/dialects/names.ts";
import { DIFF_UNITS } from "../analysis/op_diff/side.ts";
import { level, oneOf, pairs, someOf, wholeNumber } from "./flag_values.ts";

export const VERBOSITY = new Option(
  "--verbosity <n>",
  "0: the matrix; 1: also phases and steps; 2: also the largest ops; 3: every op, roofline, memory, CPU",
)
  .argParser(level("--verbosity"));

export const LOG = new Option("--log <tool>", `print the profile in the format of ${DIALECTS.join(", ")}`)
  .argParser(oneOf("--log", DIALECTS));

export const GROUP_BY = new Option("--group-by <keys>", `sum ops by ${GROUPINGS.join(", ")}`)
  .argParser(someOf("--group-by", GROUPINGS));

export const SORT = new Option("--sort <column>", `sort ops by ${SORT_COLUMNS.join(", ")}`)
  .argParser(oneOf("--sort", SORT_COLUMNS));

export const TOP = new Option("--top <n>", "show the first n ops, with their shapes and kernels").argParser(
  wholeNumber("--top", 1),
);

export const PIPELINE = new Option(
  "--pipeline",
  "print the times of data loading: stages, workers, queues, and what bounds them",
);

export const RAW = new Option("--raw", "print every block: round, position, wall time, ratio to the baseline's block");

export const ADVICE = new Option("--advice", "print every finding with its evidence and the suggested change");

export const EXPLAIN = new Option("--explain", "print how the figures were measured and what the columns mean");

export const DIFF = new Option(
  "--diff <a> <b>",
  "compare the ops of two variants: what is slower, faster, new or gone in B; may be repeated",
).argParser(pairs("--diff"));

export const DIFF_BY = new Option("--diff-by <unit>", "with --diff: compare by op or by kernel (default: op)")
  .argParser(oneOf("--diff-by", DIFF_UNITS));
