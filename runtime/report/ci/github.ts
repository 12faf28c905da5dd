import { printable } from "../../core/printable.ts";
import type { Check, Place } from "./check.ts";

/**
 * Returns workflow commands of GitHub Actions that annotate the lines of unmet checks: `::error file=,line=,title=::message`
 * (docs.github.com, "Workflow commands for GitHub Actions").
 */
export function githubAnnotations(checks: readonly Check[], placeOf: (variant: string) => Place | null): string[] {
  return checks.filter(({ state }) => state !== "met").map(({ name, variant, state, message }) => {
    const place = placeOf(variant);
    const properties = [
      ...place === null ? [] : [`file=${property(place.file)}`, `line=${place.line}`],
      `title=${property(`${name} (${variant})`)}`,
    ];
    return `::${state === "unmet" ? "error" : "warning"} ${properties.join(",")}::${data(`${variant}: ${message}`)}`;
  });
}

function data(text: string): string {
  return printable(text).replaceAll("%", "%25");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
