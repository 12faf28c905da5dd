/// <reference lib="dom" />
import { blocksSection, distributionSection, memoriesSection, partsSection } from "./comparison/blocks.ts";
import { effectsSection, frontSection, seedsSection } from "./comparison/effects.ts";
import { environmentSection } from "./comparison/environment.ts";
import { ladderSection } from "./comparison/ladder.ts";
import { lossesSection } from "./comparison/losses.ts";
import { matrixSection } from "./comparison/matrix.ts";
import { diffSection } from "./comparison/diff.ts";
import { procedureSection } from "./comparison/procedure.ts";
import { RUN_SECTIONS, type RunSection, tablesOfSection } from "../../run_sections.ts";
import type { Overview } from "../embedded.ts";
import { readOverview } from "./data.ts";
import { el } from "./dom.ts";
import { header, navigation } from "./header.ts";
import { type Panel, variantPanel } from "./panel.ts";
import { Anchors, placeOf, visit } from "./route.ts";
import { type Content, type Section, sectionElement, tableContent } from "./section.ts";
import { variantTabs } from "./variant_tabs.ts";

const overview = readOverview();
const shared = new Anchors();

/** Sections of tables that have more than these, or say why they have none. */
const WRITTEN: Readonly<Record<string, (overview: Overview) => Content>> = {
  seeds: seedsSection,
  front: frontSection,
  effects: effectsSection,
};

const section = (anchor: string, title: string, draw: (overview: Overview) => Content): Section => {
  return { anchor, title, content: draw(overview) };
};

const before = [
  section("matrix", "Comparison", matrixSection),
  ...RUN_SECTIONS.flatMap((one) => one.anchor in WRITTEN ? [] : ofTables(one)),
  section("distribution", "Distribution of the blocks", distributionSection),
  section("blocks", "Blocks by round", blocksSection),
  section("parts", "Parts of a step", partsSection),
  section("memories", "Memory of all variants", memoriesSection),
  section("diff", "Difference by op or kernel", diffSection),
  section("losses", "Losses", lossesSection),
  ...RUN_SECTIONS.flatMap(({ anchor, title }) => {
    return WRITTEN[anchor] === undefined ? [] : section(anchor, title, WRITTEN[anchor]);
  }),
  section("ladder", "Tuning ladder", ladderSection),
];
const after = [
  section("procedure", "How it was measured", procedureSection),
  section("environment", "Environment and reproduction", environmentSection),
];
const elements = [...before, ...after].map((section) => {
  const element = sectionElement(section);
  shared.set(section.anchor, element);
  return element;
});

const names = overview.variants.map(({ name }) => name);
const nav = navigation([...before, ...after]);
const host = el("div", { class: "panel" });
const tabs = variantTabs(overview, (index) => show(index));
let panel: { readonly index: number; readonly made: Panel } | null = null;

/** Returns the section of some tables; nothing without rows. */
function ofTables(tabled: RunSection): Section[] {
  const tables = tablesOfSection(tabled, overview);
  const { anchor, title } = tabled;
  return tables.length === 0 ? [] : [{ anchor, title, content: tables.flatMap((spec) => tableContent(spec)) }];
}

/** Shows a variant's panel instead of the current one. */
function show(index: number): Panel {
  if (panel?.index === index) return panel.made;
  const made = variantPanel(overview, index, shared);
  panel = { index, made };
  host.replaceChildren(made.element);
  tabs.select(index);
  nav.setVariant(names[index]!, made.sections);
  nav.follow();
  return made;
}

/** Goes to the place that the address names. */
function follow(): void {
  const place = placeOf(location.hash);
  if (place === null) return;
  if (place.variant === null) {
    const found = shared.find(place.anchor);
    if (found !== null) visit(found);
    return;
  }
  const index = names.indexOf(place.variant);
  if (index < 0) return;
  const found = show(index).anchors.find(place.anchor);
  if (found !== null) visit(found);
}

document.body.prepend(
  el(
    "div",
    { role: "navigation", "aria-label": "Skip" },
    el("a", { class: "skip", href: "#/matrix" }, "Skip to the comparison"),
    el("a", { class: "skip", href: "#/environment" }, "Skip to the environment"),
  ),
  header(overview),
  el(
    "div",
    { class: "page" },
    nav.element,
    el(
      "main",
      { id: "main" },
      ...elements.slice(0, before.length),
      names.length === 0 ? null : el("div", { class: "variants" }, tabs.element, host),
      ...elements.slice(before.length),
    ),
  ),
);
nav.follow();
if (names.length > 0) show(Math.max(0, names.indexOf(overview.baseline)));
addEventListener("hashchange", follow);
// A link to the current address changes nothing by itself
addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("a")?.getAttribute("href") === location.hash) follow();
});
follow();
