/// <reference lib="dom" />
import { deviceSentences, resultSentences } from "../../../attach/sentences.ts";
import { attachTables } from "../../../attach/tables.ts";
import { attachedOf, profiledPrograms } from "../../../programs/attached.ts";
import type { VariantContext } from "../context.ts";
import { el } from "../dom.ts";
import { type Content, notes, tableContent } from "../section.ts";

/** Rows of a table that are shown at first. */
const LIMIT = 200;

/** Returns the section of a program's profile: the account of a step, kernels, calls, memory, pipelines and errors. */
export function programSection({ variant }: VariantContext): Content {
  const [program] = profiledPrograms({ variants: [variant] });
  if (program === undefined) {
    const attached = attachedOf(variant);
    return attached === null ? "not profiled" : resultSentences(attached).join("; ");
  }
  const { device } = program;
  return [
    notes(deviceSentences(device)),
    ...attachTables(device, device.kernels.length)
      .flatMap((spec) => [el("h4", {}, spec.title), ...tableContent(spec, { limit: LIMIT })]),
  ];
}
