/// <reference lib="dom" />
import type { Bottleneck, Finding } from "../../../../result/schema.ts";
import { changesText } from "../../../differences.ts";
import { formatRatio, MISSING } from "../../../format.ts";
import { ablationsTable } from "../../../outcome/bottleneck.ts";
import { notProfiled, type VariantContext } from "../context.ts";
import { type Child, el } from "../dom.ts";
import { nameText } from "../names.ts";
import { hrefOf } from "../route.ts";
import { type Content, facts, notes, tableContent } from "../section.ts";

/** Returns the section of the bottleneck, by rules and by ablations. */
export function bottleneckSection({ variant }: VariantContext): Content {
  const { bottleneck } = variant;
  if (bottleneck === null) {
    const alone = variant.parameters === null && variant.status === "ok";
    const missing = alone ? "no model, so the loader takes the whole step" : "not analysed";
    return notProfiled(variant) ?? missing;
  }
  return [
    facts([
      ["By rules", reading(bottleneck.byRules, "device times are missing")],
      ["By ablations", reading(bottleneck.byArms, "no ablations ran (--bottleneck)")],
      ["Device", device(bottleneck)],
    ], "long"),
    ...bottleneck.arms.length === 0 ? [] : tableContent(ablationsTable({ variants: [variant] }), { omit: ["variant"] }),
  ];
}

function reading(read: Bottleneck["byRules"], missing: string): Child {
  return read === null
    ? `${MISSING} ${missing}`
    : el("span", {}, el("strong", {}, read.bound), ` – ${nameText(read.reason, 600)}`);
}

function device({ device }: Bottleneck): Child {
  if (device === null) return `${MISSING} its ops were not classified`;
  return el("span", {}, el("strong", {}, device.bound), ` – ${nameText(device.reason, 400)}`);
}

/** Returns the section of findings, with links to their evidence. */
export function findingsSection({ variant, anchors, shared }: VariantContext): Content {
  const { findings, name } = variant;
  if (findings.length === 0) {
    const nothing = variant.status === "ok"
      ? "the analysis found nothing to improve"
      : "the variant did not complete, and findings need a complete run";
    return notProfiled(variant) ?? nothing;
  }
  const items = findings.map((finding) =>
    findingElement(finding, (where) => {
      if (anchors.has(where)) return hrefOf({ variant: name, anchor: where });
      return shared.has(where) ? hrefOf({ variant: null, anchor: where }) : null;
    })
  );
  const find = (kind: string) => items[findings.findIndex((finding) => finding.kind === kind)] ?? null;
  anchors.setFamily("finding", { has: (kind) => find(kind) !== null, find });
  return [el("ol", { class: "findings" }, ...items)];
}

function findingElement(finding: Finding, hrefTo: (where: string) => string | null): HTMLElement {
  const { kind, severity, message, evidence, changes, predicted } = finding;
  const proofs = evidence.map(({ label, value, where }) => {
    const text = `${nameText(label, 80)} ${nameText(value, 80)}`;
    const href = hrefTo(where);
    return el("li", {}, href === null ? text : el("a", { href }, text));
  });
  return el(
    "li",
    { class: severity },
    el("p", {}, el("span", { class: "kind" }, `${severity} · ${nameText(kind, 60)}`), " ", nameText(message, 1000)),
    proofs.length === 0 ? null : el("ul", { class: "evidence", "aria-label": "Evidence" }, ...proofs),
    changes.length === 0 ? null : el("p", { class: "change" }, "Change ", el("code", {}, changesText(changes))),
    predicted === null
      ? null
      : notes([`Predicted ${formatRatio(predicted.gain)}: ${nameText(predicted.reasoning, 600)}`]),
  );
}
