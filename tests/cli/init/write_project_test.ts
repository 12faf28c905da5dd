import { rejects } from "node:assert/strict";
import { join } from "node:path";
import { writeProject } from "../../../runtime/cli/init/write_project.ts";

Deno.test("the folder that init suggests does not exist yet", async () => {
  const folder = await Deno.makeTempDir({ dir: Deno.cwd(), prefix: "init-" });
  const name = folder.slice(Deno.cwd().length + 1);
  try {
    await Deno.writeTextFile(join(folder, "README.md"), "");
    const message = (number: number) => new RegExp(`name a new folder: tacho init ${name}-${number}$`);
    await rejects(writeProject(folder, { "README.md": "" }), message(2));
    await Deno.mkdir(`${folder}-2`);
    await rejects(writeProject(folder, { "README.md": "" }), message(3));
  } finally {
    await Deno.remove(folder, { recursive: true });
    await Deno.remove(`${folder}-2`, { recursive: true }).catch(() => {});
  }
});
