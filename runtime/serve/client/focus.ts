/// <reference lib="dom" />

/** Does work that replaces elements, and focuses the one with the same `data-focus` again. */
export function keepFocus(work: () => void): void {
  const name = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["focus"] : undefined;
  work();
  if (name === undefined || (document.activeElement as HTMLElement | null)?.dataset["focus"] === name) return;
  const next = [...document.querySelectorAll<HTMLElement>("[data-focus]")].find(({ dataset }) =>
    dataset["focus"] === name
  );
  next?.focus({ preventScroll: true });
}
