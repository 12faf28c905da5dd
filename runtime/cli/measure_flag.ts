import { Option } from "@commander-js/extra-typings";
import { STATISTICS } from "../core/percentile.ts";
import { oneOf } from "./flag_values.ts";

/** Statistic that arms are compared by. */
export const MEASURE = new Option(
  "--measure <statistic>",
  "compare by the mean of the step times, or by a percentile of each block: p50, p90, p95, p99 (default: mean)",
).argParser(oneOf("--measure", STATISTICS));
