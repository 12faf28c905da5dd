/// <reference lib="dom" />
import { formatCount, MISSING } from "../../../format.ts";
import { formatBytes } from "../../../quantities.ts";
import type { Overview } from "../../embedded.ts";
import { copyButton } from "../clipboard.ts";
import { type Child, el } from "../dom.ts";
import { nameText } from "../names.ts";
import { type Content, facts } from "../section.ts";

/** Returns the section of the environment and of how to reproduce the run. */
export function environmentSection(overview: Overview): Content {
  const { environment, scenario, command } = overview;
  const { adapter } = environment;
  const limits = Object.entries(adapter?.limits ?? {}).map(([name, limit]) =>
    `${nameText(name)} ${formatCount(limit)}`
  );
  return [
    facts([
      [
        "Command",
        command === null ? `${MISSING} the scenario has no file` : el("code", {}, nameText(command, 400)),
      ],
      ["Script, SHA-256", scenario.sha256 === null ? MISSING : el("code", {}, scenario.sha256)],
      ["Seed", String(scenario.seed)],
      ["Parameters", pairs(scenario.params)],
      ["Tacho", environment.tacho],
      ["Commit", `${text(environment.git)}${environment.gitDirty === true ? ", with uncommitted changes" : ""}`],
      ["Deno", `${environment.deno}, V8 ${environment.v8}`],
      ["Packages", environment.lockHash === null ? MISSING : el("code", {}, environment.lockHash.slice(0, 12))],
      ["System", text(environment.os)],
      ["CPU", `${text(environment.cpu)}, ${environment.cores ?? MISSING} cores`],
      ["Memory", environment.memory === null ? MISSING : formatBytes(environment.memory)],
      ["Variables", pairs(environment.variables)],
      ["Adapter", adapter === null ? `${MISSING} no device was used` : text(adapter.name)],
      [
        "Kind",
        adapter === null || adapter.fallback === null
          ? MISSING
          : adapter.fallback
          ? "software: kernels run on the CPU"
          : "hardware",
      ],
      ["Vendor", text(adapter?.vendor)],
      ["Back end", text(adapter?.backend)],
      ["Driver", text(adapter?.driver)],
      [
        "Features",
        adapter === null || adapter.features.length === 0
          ? MISSING
          : adapter.features.map((name) => nameText(name)).join(", "),
      ],
      ["Limits", limits.length === 0 ? MISSING : more(limits.join(" · "))],
    ]),
    command === null ? null : copyButton("the command", () => command),
  ];
}

function pairs(values: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(values).map(([name, value]) => {
    return `${nameText(name)}=${nameText(typeof value === "string" ? value : JSON.stringify(value), 80)}`;
  });
  return words.length === 0 ? MISSING : words.join(" ");
}

function text(value: string | null | undefined): string {
  return value === null || value === undefined ? MISSING : nameText(value, 200);
}

function more(text: string): Child {
  return el("details", {}, el("summary", {}, "show"), text);
}
