/// <reference lib="dom" />
import { formatCount, formatCounted } from "../../format.ts";
import { headlineOf } from "../../headline.ts";
import type { Overview } from "../embedded.ts";
import { el } from "./dom.ts";
import { nameText } from "./names.ts";
import { hrefOf } from "./route.ts";
import { themeButton } from "./theme.ts";
import type { Section } from "./section.ts";

/** Returns the page's header: scenario, device and headline. */
export function header(overview: Overview): HTMLElement {
  const { scenario, variants, procedure } = overview;
  const [first] = variants;
  const parameters = first?.parameters ?? null;
  const rounds = procedure?.rounds ?? new Set(variants.flatMap(({ blocks }) => blocks.map(({ round }) => round))).size;
  const facts = [
    first?.config.model ? nameText(first.config.model, 40) : "",
    parameters === null ? "" : `${formatCount(parameters)} parameters`,
    formatCounted(variants.length, "variant"),
    rounds === 0 ? "" : formatCounted(rounds, "round"),
    `seed ${scenario.seed}`,
  ];
  return el(
    "header",
    {},
    el("div", { class: "top" }, el("h1", {}, nameText(scenario.name, 80)), themeButton()),
    el("p", { class: "about" }, facts.filter((fact) => fact !== "").join(" · ")),
    el("p", { class: "about" }, deviceText(overview)),
    summary(overview),
  );
}

function deviceText({ environment: { adapter }, nodes = [] }: Overview): string {
  const names = new Set(nodes.map(({ adapter }) => adapter ?? "unnamed adapter"));
  if (names.size > 1) return [...names].map((name) => nameText(name, 80)).join(", ");
  const device = adapter === null ? "no device" : nameText(adapter.name ?? "unnamed adapter", 80);
  return adapter?.fallback === true ? `${device} · software adapter: kernels run on the CPU` : device;
}

/** Returns the headline, with a link to the variant that it names. */
function summary(overview: Overview): HTMLElement | null {
  const headline = headlineOf(overview);
  if (headline === null) return null;
  const { variant, text } = headline;
  const link = variant === null ? null : el("a", { href: hrefOf({ variant, anchor: "steps" }) }, nameText(variant, 60));
  return el("p", { class: "summary" }, link, text);
}

interface Navigation {
  readonly element: HTMLElement;
  /** Highlights the link of the section in view, among those on the page. */
  readonly follow: () => void;
  /** Lists the sections of the current variant. */
  readonly setVariant: (name: string, sections: readonly Section[]) => void;
}

/** Returns links to all sections with content. */
export function navigation(shared: readonly Section[]): Navigation {
  const title = el("h2");
  const list = el("ul");
  const links = (sections: readonly Section[], variant: string | null) =>
    sections.filter(({ content }) => typeof content !== "string").map(({ anchor, title }) =>
      el("li", {}, el("a", { href: hrefOf({ variant, anchor }), "data-section": anchor }, title))
    );
  const element = el(
    "nav",
    { "aria-label": "Sections" },
    el("h2", {}, "All variants"),
    el("ul", {}, ...links(shared, null)),
    title,
    list,
  );
  const followed = new IntersectionObserver((entries) => {
    const seen = entries.find(({ isIntersecting }) => isIntersecting)?.target.getAttribute("data-anchor") ?? null;
    if (seen === null) return;
    for (const link of element.querySelectorAll("a")) {
      if (link.dataset["section"] === seen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -75% 0px" });
  return {
    element,
    follow: () => {
      followed.disconnect();
      for (const section of document.querySelectorAll("section")) followed.observe(section);
    },
    setVariant: (name, sections) => {
      title.textContent = nameText(name, 40);
      list.replaceChildren(...links(sections, name));
    },
  };
}
