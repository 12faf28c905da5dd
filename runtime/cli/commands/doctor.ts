import { ExitStatus } from "../../core/errors.ts";
import { describeMachine } from "../doctor/machine.ts";
import { findProblems } from "../doctor/problems.ts";
import { renderDoctor } from "../doctor/render.ts";
import { tryRoutes } from "../doctor/routes.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";

export const define = () =>
  createCommand({
    name: "doctor",
    description: "Examines this machine: every adapter and how to choose it, drivers, features, limits, clocks, " +
      "permissions and load; says what is wrong and how to fix it. Opens each adapter in a separate process. " +
      "Exits with status 3 if no adapter can be used.",
    examples: [
      ["tacho doctor", "examine this machine"],
      ["tacho doctor --json", "print JSON, for a bug report"],
    ],
  }).option("--json", "print JSON");

/** Examines the machine: its adapters, and what keeps runs from using them well. */
export const run = runOf(define, async ({ store, json = false, color }) => {
  const machine = await describeMachine(store);
  const facts = { ...machine, routes: await tryRoutes() };
  const problems = findProblems(facts);
  if (json) await writeJson(STDOUT, { ...facts, problems });
  else writeOut(renderDoctor(facts, problems, lookOfStdout(color)));
  return problems.some(({ severity }) => severity === "error") ? ExitStatus.device : ExitStatus.ok;
});
