import type { VariantResult } from "../../result/schema.ts";
import { formatCounted, formatG, MISSING } from "../format.ts";

/**
 * Returns a line for each all-reduce of a step, in the order of the backward pass: bytes, ranks and mean time, as SINGA prints
 * distributed ops at verbosity 3. Empty on one rank.
 *
 * @param first number of the first op
 */
export function allReduceLines({ ranks }: Pick<VariantResult, "ranks">, first = 0): string[] {
  return (ranks?.buckets ?? []).map(({ bytes, parameters, calls, total }, i) => {
    const time = calls === 0 ? MISSING : formatG(total / calls / 1000);
    const what = `${bytes} bytes of ${formatCounted(parameters, "parameter")}, ${ranks!.size} ranks`;
    return `OP_ID${first + i}. all_reduce (${what}) : ${time} sec`;
  });
}
