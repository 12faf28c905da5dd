/** Ticks of the kernel's clock in a second, on every Linux. */
const TICKS = 100;

/**
 * Reads the processor time of a process and of those of its children that have ended, in seconds.
 *
 * @param process its ID, or `self`
 * @returns null once the process has ended, and where there is no `/proc`
 */
export function processorTime(process: number | "self"): number | null {
  try {
    const text = Deno.readTextFileSync(`/proc/${process}/stat`);
    // The name, the second field, is in parentheses and may have spaces
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    return null;
  }
}
