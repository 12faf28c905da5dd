/// <reference lib="dom" />
import { deviceSentences, resultSentences } from "../../../attach/sentences.ts";
import { attachTables } from "../../../attach/tables.ts";
import { attachedOf, profiledPrograms } from "../../../programs/attached.ts";
import type { VariantContext } from "../context.ts";
import { el } from "../dom.ts";
import { notes, type Section, tableContent } from "../section.ts";

/** Rows of a table that are shown at first. */
const LIMIT = 200;

/** Returns the section of a program's profile: the account of a step, kernels, calls, memory, pipelines and errors. */
export function programSection({ variant }: VariantContext): Section {
  const base = { anchor: "program", title: "Program" };
  const [program] = profiledPrograms({ variants: [variant] });
  if (program === undefined) {
    const attached = attachedOf(variant);
    return { ...base, content: attached === null ? "not profiled" : resultSentences(attached).join("; ") };
  }
  const { device } = program;
  return {
    ...base,
    content: [
      notes(deviceSentences(device)),
      ...attachTables(device, device.kernels.length)
        .flatMap((spec) => [el("h4", {}, spec.title), ...tableContent(spec, { limit: LIMIT })]),
    ],
  };
}
