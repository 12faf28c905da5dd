/// <reference lib="dom" />
import { isProgram } from "../../own_loop.ts";
import type { Overview } from "../embedded.ts";
import type { VariantContext } from "./context.ts";
import { readVariant } from "./data.ts";
import { type Child, el } from "./dom.ts";
import { nameText } from "./names.ts";
import { Anchors, hrefOf } from "./route.ts";
import { type Content, type Section, sectionElement } from "./section.ts";
import { timelineSection } from "./timeline/section.ts";
import { autotuneSection, kernelsSection, layersSection, opsSection, typesSection } from "./variant/ops.ts";
import { bottleneckSection, findingsSection } from "./variant/findings.ts";
import { cpuSection, hostSection, rangesSection } from "./variant/host.ts";
import { lossScaleSection, stepsSection } from "./variant/steps.ts";
import { memorySection } from "./variant/memory.ts";
import { phasesSection } from "./variant/phases.ts";
import { pipelineSection } from "./variant/pipeline.ts";
import { programSection, settingsSection } from "./variant/settings.ts";
import { queuesSection } from "./variant/queues.ts";
import { rooflineSection } from "./variant/roofline_chart.ts";

/** Sections of a variant from top to bottom. */
const SECTIONS: Readonly<Record<string, readonly [title: string, draw: (context: VariantContext) => Content]>> = {
  bottleneck: ["Bottleneck", bottleneckSection],
  findings: ["Findings", findingsSection],
  steps: ["Step trace", stepsSection],
  phases: ["Phases", phasesSection],
  timeline: ["Timeline", timelineSection],
  types: ["Ops by type", typesSection],
  layers: ["Ops by layer", layersSection],
  kernels: ["Kernels and copies", kernelsSection],
  ops: ["Ops", opsSection],
  roofline: ["Roofline", rooflineSection],
  memory: ["Memory", memorySection],
  queues: ["Queues", queuesSection],
  pipeline: ["Input pipeline", pipelineSection],
  host: ["Host work", hostSection],
  cpu: ["CPU use", cpuSection],
  ranges: ["Ranges", rangesSection],
  autotune: ["Autotuning", autotuneSection],
  "loss-scale": ["Loss scale", lossScaleSection],
  settings: ["Settings", settingsSection],
};

/** Sections of a program, which has no model and no loader. */
const PROGRAM_SECTIONS: typeof SECTIONS = {
  findings: ["Findings", findingsSection],
  steps: ["Step trace", stepsSection],
  program: ["Program", programSection],
  timeline: ["Timeline", timelineSection],
  settings: ["Settings", settingsSection],
};

export interface Panel {
  readonly element: HTMLElement;
  readonly anchors: Anchors;
  readonly sections: readonly Section[];
}

/** Returns the panel of one variant. */
export function variantPanel(overview: Overview, index: number, shared: Anchors): Panel {
  const anchors = new Anchors();
  const variant = readVariant(overview, index);
  const context: VariantContext = { overview, variant, index, anchors, shared };
  const element = el("div", { role: "tabpanel", "aria-label": `Variant ${nameText(variant.name)}` });
  // Findings link to these anchors
  const own = isProgram(variant.config) ? PROGRAM_SECTIONS : SECTIONS;
  const order = Object.keys(own);
  for (const anchor of order) anchors.set(anchor, element);
  const made = new Map([...order.filter((anchor) => anchor !== "findings"), "findings"].map((anchor) => {
    const [title, draw] = own[anchor]!;
    return [anchor, { anchor, title, content: draw(context) }];
  }));
  const sections = order.map((anchor) => made.get(anchor)!);
  for (const section of sections) {
    const made = sectionElement(section, citations(context, section.anchor));
    anchors.set(section.anchor, made);
    element.append(made);
  }
  return { element, anchors, sections };
}

/** Returns links back to the findings whose evidence is in this section. */
function citations({ variant: { findings, name } }: VariantContext, anchor: string): Child[] {
  const citing = findings.filter(({ evidence }) =>
    evidence.some(({ where }) => where === anchor || (anchor === "ops" && where.startsWith("op:")))
  );
  const kinds = [...new Set(citing.map(({ kind }) => kind))];
  return kinds.map((kind) =>
    el("a", { class: "cite", href: hrefOf({ variant: name, anchor: `finding:${kind}` }) }, `↖ ${nameText(kind, 40)}`)
  );
}
