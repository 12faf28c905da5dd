import type { Result } from "../result/schema.ts";
import type { RenderOptions } from "./render_result.ts";

/**
 * Renders a result as text, Markdown, an HTML page, CSV or JSON. Figures that were not measured are `–`, in CSV empty.
 *
 * @throws {InputError} if an option is wrong or the format has no such section
 *
 * @example
 * ```ts
 * import { measure, type MeasurementOptions, render, type Scenario } from "@tacho/tacho";
 *
 * async function summary(scenario: Scenario, options: MeasurementOptions) {
 *   const result = await measure(scenario, options);
 *   return await render(result, { format: "markdown", sections: ["matrix", "environment"] });
 * }
 * ```
 */
export async function render(result: Result, options: RenderOptions = {}): Promise<string> {
  const { renderResult } = await import("./render_result.ts");
  return await renderResult(result, options);
}
