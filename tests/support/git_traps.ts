/**
 * Repositories as a stranger may send them: their configuration names programs for whatever asks git about them.
 *
 * @module
 */
import { join } from "node:path";

/** Lines of `.git/config` that name a program, by what they are. `%` is the command of the program. */
export const TRAPS: Readonly<Record<string, string>> = {
  fsmonitor: '[core]\n fsmonitor = "%"',
  hooks: "", // files
  pager: '[core]\n pager = "%"\n[pager]\n status = true\n rev-parse = true\n log = true',
  alias: '[alias]\n status = "!%"\n rev-parse = "!%"',
  filter: '[filter "x"]\n clean = "%"\n smudge = "%"\n required',
  process: '[filter "x"]\n process = "%"',
  "filter with =": '[filter "x=y"]\n clean = "%"\n smudge = "%"',
  "filter of worktrees": '[includeIf "gitdir:**/worktrees/**"]\n path = "more"',
  signature: '[log]\n showSignature = true\n[gpg]\n program = "%"\n[gpg "ssh"]\n program = "%"',
  fetch: '[core]\n sshCommand = "%"\n[protocol "ext"]\n allow = always\n[extensions]\n partialClone = origin\n' +
    '[remote "origin"]\n url = "ext::%"\n promisor = true\n uploadpack = "%"\n vcs = "%"',
  helpers: '[credential]\n helper = "!%"\n[core]\n askPass = "%"\n alternateRefsCommand = "%"\n gitProxy = "%"',
  diff: '[diff "x"]\n textconv = "%"\n command = "%"\n[diff]\n external = "%"\n[merge "x"]\n driver = "%"',
  submodules: "[submodule]\n recurse = true\n[status]\n submoduleSummary = true",
  "hook by name": '[hook "x"]\n event = post-checkout\n command = "%"',
};

const decoder = new TextDecoder();

/** Runs git without settings of this user, and returns its output. */
export function plainGit(folder: string, ...args: string[]): string {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
  const { success, stdout, stderr } = new Deno.Command("git", {
    args: [...identity, ...args],
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    stdin: "null",
  }).outputSync();
  if (!success) throw new Error(`git ${args.join(" ")}: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout).trim();
}

/** A repository with traps, and what they caught. */
export interface TrappedRepository {
  readonly folder: string;
  /** A folder in it that looks like a bare repository. */
  readonly bare: string;
  /** Names of the programs that were started. */
  caught(): string[];
}

/** Makes a repository with a commit, a changed file, a submodule and traps, in an empty folder. */
export function makeTrapped(folder: string, traps: readonly string[] = Object.keys(TRAPS)): TrappedRepository {
  const [caught, programs] = [join(folder, "caught"), join(folder, "programs")];
  for (const place of [caught, programs]) Deno.mkdirSync(place);
  for (const name of Object.keys(TRAPS)) {
    const text = `#!/bin/sh\ntouch "${caught}/${nameOf(name)}"\nexit 1\n`;
    Deno.writeTextFileSync(join(programs, nameOf(name)), text, { mode: 0o755 });
  }
  const root = join(folder, "repository");
  const inner = join(root, "inner");
  for (const place of [root, inner]) {
    Deno.mkdirSync(place, { recursive: true });
    plainGit(place, "init", "--quiet", "--initial-branch=main");
    Deno.writeTextFileSync(join(place, "a.txt"), "1");
    Deno.writeTextFileSync(join(place, "b.txt"), "1");
    Deno.writeTextFileSync(join(place, ".gitattributes"), "a.txt filter=x diff=x merge=x\nb.txt filter=x=y\n");
  }
  for (const place of [inner, root]) {
    plainGit(place, "add", "-A");
    plainGit(place, "commit", "--quiet", "--message", "one");
  }
  sign(root);
  const bare = join(root, "bare");
  for (const name of ["objects", "refs"]) Deno.mkdirSync(join(bare, name), { recursive: true });
  Deno.writeTextFileSync(join(bare, "HEAD"), "ref: refs/heads/main\n");
  Deno.writeTextFileSync(join(bare, "config"), '[core]\n bare = false\n worktree = "."\n');
  for (const place of [join(root, ".git"), join(inner, ".git"), bare]) setTraps(place, programs, traps);
  for (const place of [root, inner]) {
    for (const name of ["a.txt", "b.txt"]) Deno.writeTextFileSync(join(place, name), "2");
  }
  if (traps.includes("fetch")) {
    const blob = plainGit(root, "-c", "extensions.partialClone=", "rev-parse", "HEAD:a.txt");
    Deno.removeSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  }
  return { folder: root, bare, caught: () => [...Deno.readDirSync(caught)].map(({ name }) => name).sort() };
}

/** Gives the last commit a signature, which git would check with a program. */
function sign(folder: string): void {
  const lines = plainGit(folder, "cat-file", "commit", "HEAD").split("\n");
  const at = lines.findIndex((line) => line.startsWith("committer ")) + 1;
  lines.splice(at, 0, "gpgsig -----BEGIN PGP SIGNATURE-----", " ", " AAAA", " -----END PGP SIGNATURE-----");
  const file = join(folder, ".git", "signed");
  Deno.writeTextFileSync(file, `${lines.join("\n")}\n`);
  plainGit(folder, "update-ref", "HEAD", plainGit(folder, "hash-object", "-t", "commit", "-w", file));
}

/** Name of the program of a trap. */
export function nameOf(trap: string): string {
  return trap.replaceAll(/\W/g, "_");
}

function setTraps(place: string, programs: string, traps: readonly string[]): void {
  const linesOf = (name: string, lines = TRAPS[name]!) => lines.replaceAll("%", join(programs, nameOf(name)));
  Deno.writeTextFileSync(join(place, "config"), `\n${traps.map((name) => linesOf(name)).join("\n")}\n`, {
    append: true,
  });
  Deno.writeTextFileSync(join(place, "more"), linesOf("filter of worktrees", TRAPS["filter"]));
  if (!traps.includes("hooks")) return;
  const hooks = join(place, "hooks");
  Deno.mkdirSync(hooks, { recursive: true });
  for (const name of ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"]) {
    Deno.writeTextFileSync(join(hooks, name), `#!/bin/sh\n${join(programs, "hooks")}\n`, { mode: 0o755 });
  }
}
