import { join } from "node:path";
import { Checkouts } from "../../runtime/cli/commits/checkouts.ts";
import { gitState } from "../../runtime/core/git.ts";
import { isInstalled } from "../support/is_installed.ts";
import { makeTrapped, TRAPS } from "../support/git_traps.ts";
import { chance, pick } from "./draws.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";

/** Repositories of a stranger, whose configuration names programs: none is started. */
export const folders: Fuzzer = {
  name: "folders",
  few: 8,
  isPossible: async () => Deno.build.os !== "windows" && await isInstalled("git"),
  begin: (folder) => async (random) => {
    const place = join(folder, "stranger");
    await Deno.mkdir(place);
    try {
      const traps = Object.keys(TRAPS).filter(() => chance(random, 0.4));
      const { folder: repository, bare, caught } = makeTrapped(place, traps);
      const cwd = pick(random, [repository, join(repository, "inner"), bare, join(repository, ".git")]);
      await gitState(cwd, chance(random, 0.7));
      if (chance(random, 0.5)) await survives(`a checkout with ${traps}`, () => checkOut(cwd));
      if (caught().length > 0) throw new Error(`${caught()} of ${traps} ran in ${cwd}`);
    } finally {
      await Deno.remove(place, { recursive: true });
    }
  },
};

async function checkOut(folder: string): Promise<void> {
  await using checkouts = await Checkouts.open(folder);
  await checkouts.add("main");
}
