import { parseSteps, type RecorderSettings } from "./settings.ts";

/** Settings that the preloaded module receives. */
export interface Preload {
  /** Folder for the records. */
  readonly folder: string;
  /** `main`, or the specifier of a worker. */
  readonly realm: string;
  readonly settings: RecorderSettings;
}

/** Returns the specifier of the preloaded module with its settings. */
export function withQuery(module: string, { folder, realm, settings }: Preload): string {
  const { steps, stack, budget, timing } = settings;
  const url = new URL(module);
  url.search = new URLSearchParams({
    ...{ folder, realm, stack: String(stack), budget: String(budget), timing: String(timing) },
    steps: steps.by === "submit" ? `submit:${steps.count}` : steps.by,
  }).toString();
  return url.href;
}

/** Reads what {@linkcode withQuery} wrote. */
export function readQuery({ searchParams }: URL): Preload {
  const text = (name: string) => searchParams.get(name) ?? "";
  return {
    folder: text("folder"),
    realm: text("realm"),
    settings: {
      steps: parseSteps(text("steps")) ?? { by: "auto" },
      stack: text("stack") === "true",
      budget: Number(text("budget")),
      timing: text("timing") === "true",
    },
  };
}
