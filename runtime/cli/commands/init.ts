import { relative } from "node:path";
import { shellWord } from "../../core/shell_word.ts";
import { TACHO_VERSION } from "../../experiment/environment.ts";
import { TACHO_ROOT } from "../../store/tacho_files.ts";
import { oneOf } from "../flag_values.ts";
import { projectFiles, tachoImport } from "../init/project_files.ts";
import { TEMPLATES } from "../init/templates.ts";
import { makeFolder, writeProject } from "../init/write_project.ts";
import { runOf } from "../parse_command.ts";
import { writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

const NAMES = TEMPLATES.map(({ name }) => name);

export const define = () =>
  createPlainCommand({
    name: "init",
    description:
      "Creates a project with a scenario, a test and a README, ready to run. Overwrites nothing. Templates: " +
      `${TEMPLATES.map(({ name, summary }) => `${name} (${summary})`).join(", ")}.`,
    examples: [
      ["tacho init my-project", "create a project in a new folder"],
      ["tacho init --template own-model", "create a project with a model of your own in this folder"],
      ["tacho init speed --template ci", "create a project whose gates run in CI"],
    ],
  })
    .argument("[dir]", "folder of the project; it may exist", ".")
    .option(
      "--template <name>",
      `${NAMES.slice(0, -1).join(", ")} or ${NAMES.at(-1)} (default: ${TEMPLATES[0].name})`,
      oneOf("--template", NAMES),
    );

/** Creates a project that runs and tests itself. */
export const run = runOf(define, async ({ template: named = TEMPLATES[0].name }, [name]) => {
  const template = TEMPLATES.find(({ name }) => name === named)!;
  const folder = await makeFolder(name);
  const files = projectFiles(template, tachoImport(TACHO_ROOT, folder, TACHO_VERSION));
  await writeProject(folder, files);
  const there = relative(Deno.cwd(), folder);
  const lines = [
    `Created ${Object.keys(files).join(", ")} in ${there === "" ? "this folder" : there}`,
    "",
    "Next:",
    ...there === "" ? [] : [`  cd ${shellWord(there)}`],
    "  deno task start   # runs the scenario and compares its variants",
    "  deno task test    # runs the tests",
  ];
  writeOut(`${lines.join("\n")}\n`);
});
