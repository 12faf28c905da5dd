/// <reference lib="dom" />
import { type Child, el } from "../../report/html/client/dom.ts";
import { nameText } from "../../report/html/client/names.ts";
import { themeButton } from "../../report/html/client/theme.ts";

/** Pages that every page links to. */
const PAGES = [["/", "Runs"], ["/history", "History"]] as const;

/** The frame of a page, whose parts can be replaced. */
export interface Frame {
  /** Sets the heading and the window's title. */
  readonly setTitle: (title: string) => void;
  /** Sets the line below the heading, which screen readers announce when it changes. */
  readonly setStatus: (text: string) => void;
  /** Shows a problem above the content; null removes it. */
  readonly setProblem: (text: string | null) => void;
  readonly setContent: (...content: readonly Child[]) => void;
}

/** Adds the frame of a page to the document. */
export function createFrame(title: string): Frame {
  const heading = el("h1");
  const status = el("p", { class: "about", role: "status" });
  const problem = el("p", { class: "problem", role: "alert" });
  const content = el("div");
  const setText = (element: HTMLElement, text: string) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const setTitle = (text: string) => {
    setText(heading, nameText(text, 120));
    document.title = `${nameText(text, 120)} – Tacho`;
  };
  const links = PAGES.map(([href, text]) =>
    el("a", { href, "aria-current": location.pathname === href ? "page" : null }, text)
  );
  document.body.prepend(
    el(
      "div",
      { role: "navigation", "aria-label": "Skip" },
      el("a", { class: "skip", href: "#main" }, "Skip to content"),
    ),
    el(
      "header",
      {},
      el(
        "div",
        { class: "top" },
        heading,
        el("div", { class: "pages" }, el("nav", { "aria-label": "Pages" }, ...links), themeButton()),
      ),
      status,
    ),
    el("main", { id: "main", tabindex: -1 }, problem, content),
  );
  setTitle(title);
  problem.hidden = true;
  return {
    setTitle,
    setStatus: (text) => setText(status, nameText(text, 400)),
    setProblem: (text) => {
      problem.hidden = text === null;
      setText(problem, text === null ? "" : nameText(text, 1000));
    },
    setContent: (...children) => content.replaceChildren(...children.filter((child) => child !== null)),
  };
}

/** Returns a part of a page with its heading. */
export function part(title: string, ...content: readonly Child[]): HTMLElement {
  const id = `part-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  return el("section", { "aria-labelledby": id }, el("div", { class: "heading" }, el("h2", { id }, title)), ...content);
}
