/**
 * Completes the command line of `tacho` from the declarations that parse it.
 *
 * @module
 */
import { dateText } from "../../library/kept/date_text.ts";
import { documentSchema } from "../../scenario/document.ts";
import { storeFolder } from "../../store/folder.ts";
import { openStoreToRead } from "../../store/store.ts";
import type { Option } from "@commander-js/extra-typings";
import type { CommandEntry, CommandLine } from "../commands/command.ts";
import { scriptCommand } from "../flags.ts";
import type { Takes } from "../flag_values.ts";
import { SETTINGS } from "../commands/help.ts";

/** Number of kept runs to offer, the latest first. */
const MAX = 50;

/** Arguments by the name that the help gives them. */
const ARGUMENTS: Readonly<Record<string, readonly ("run" | "file" | "folder" | "settings")[]>> = {
  run: ["run"],
  runs: ["run"],
  then: ["run"],
  now: ["run"],
  script: ["file"],
  file: ["file"],
  dir: ["folder"],
  arguments: ["settings", "file"],
  args: ["settings"],
};

/** Arguments that a command passes on to a script, whose flags may follow. */
const PASSED_ON = ["arguments", "args", "flags"];

/** Commands whose argument may also be a file: a script or a lock file. */
const RUN_OR_FILE = ["lock", "repeat", "verify"];

/**
 * Completes the last of `words`, the arguments of `tacho` so far.
 *
 * @param commands list of all commands
 */
export async function complete(words: readonly string[], commands: readonly CommandEntry[]): Promise<Completions> {
  const [name = "", ...rest] = words;
  const known = commands.map(({ name, summary }) => ({ text: name, description: summary }));
  if (words.length <= 1) return matching(name, known);
  if (name === "help" && !rest.at(-1)!.startsWith("-")) return completeHelp(rest, known);
  const entry = commands.find((command) => command.name === name);
  if (entry === undefined) return NOTHING;
  return await completeArguments(name, (await entry.load()).define(), rest);
}

/** Completes the topic of `tacho help`, and the word of its settings. */
function completeHelp([topic = "", word]: readonly string[], commands: readonly Candidate[]): Completions {
  if (word === undefined) {
    return matching(topic, [...commands, { text: SETTINGS, description: "list the settings of scenarios" }]);
  }
  if (topic !== SETTINGS) return NOTHING;
  return matching(
    word,
    settingCandidates("").map(({ text, description }) => ({ text: text.slice(0, -1), description })),
  );
}

async function completeArguments(command: string, line: CommandLine, words: readonly string[]): Promise<Completions> {
  const word = words.at(-1)!;
  const { positionals, pending, options, store, ended } = readWords(line, words.slice(0, -1));
  if (pending !== null) return await completeValue(takesOf(pending), "", word, store);
  const given = word.match(/^(--[\w-]+)=(.*)$/s);
  if (given !== null && !ended) {
    const option = options.find(({ long }) => long === given[1]);
    return option === undefined ? NOTHING : await completeValue(takesOf(option), `${given[1]}=`, given[2]!, store);
  }
  if (word.startsWith("-") && !ended) return matching(word, options.map(flagCandidate));
  const declared = line.registeredArguments;
  const argument = declared[positionals] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  if (argument === undefined) return NOTHING;
  const takes = (argument.parseArg as { takes?: Takes } | undefined)?.takes;
  if (takes !== undefined) return await completeValue(takes, "", word, store);
  const kinds = [...ARGUMENTS[argument.name()] ?? []];
  if (positionals === 0 && RUN_OR_FILE.includes(command)) kinds.push(...(["run", "file"] as const));
  const candidates = [
    ...kinds.includes("run") ? runCandidates(store) : [],
    ...kinds.includes("settings") ? settingCandidates(word) : [],
  ];
  const paths = kinds.includes("file") ? "file" : kinds.includes("folder") ? "folder" : null;
  return { ...matching(word, candidates), paths };
}

/** Reads the words before the one to complete. */
function readWords(line: CommandLine, words: readonly string[]) {
  let options: readonly Option[] = line.options as readonly Option[];
  let positionals = 0;
  let pending: Option | null = null;
  let store: string | undefined;
  let ended = false;
  for (const word of words) {
    if (pending !== null) {
      if (pending.long === "--store") store = word;
      pending = null;
    } else if (word === "--" && !ended) {
      ended = true;
    } else if (word.startsWith("-") && word !== "-" && !ended) {
      const [flag, value] = word.split(/=(.*)/s);
      const option = options.find(({ long, short }) => flag === long || flag === short);
      if (option?.long === "--store" && value !== undefined) store = value;
      if (option?.required === true && value === undefined) pending = option;
    } else {
      positionals++;
      const last = line.registeredArguments.at(-1);
      if (last !== undefined && PASSED_ON.includes(last.name()) && options === line.options) {
        options = [...options, ...newOptions(options)];
      }
    }
  }
  return { options, positionals, pending, store, ended };
}

/** Flags of a script that the command has not. */
function newOptions(own: readonly Option[]): Option[] {
  return (scriptCommand().options as readonly Option[]).filter(({ long }) =>
    !own.some((option) => option.long === long)
  );
}

async function completeValue(
  takes: Takes | null,
  prefix: string,
  word: string,
  store: string | undefined,
): Promise<Completions> {
  const full = prefix + word;
  switch (takes?.kind) {
    case "run":
      return matching(full, runCandidates(store).map(({ text, ...rest }) => ({ text: prefix + text, ...rest })));
    case "choice": {
      const typed = takes.several ? word.slice(0, word.lastIndexOf(",") + 1) : "";
      return matching(full, plain(takes.choices.map((choice) => prefix + typed + choice)));
    }
    case "file":
    case "folder":
      return { candidates: [], paths: takes.kind };
    default:
      return await Promise.resolve(NOTHING);
  }
}

/** Values of a flag: by its parser, or by the placeholder in the help. */
function takesOf({ parseArg, flags }: Option): Takes | null {
  const takes = (parseArg as { takes?: Takes } | undefined)?.takes;
  if (takes !== undefined) return takes;
  const placeholder = flags.match(/[<[](file|dir)[>\]]/)?.[1];
  return placeholder === undefined ? null : { kind: placeholder === "dir" ? "folder" : "file" };
}

function flagCandidate({ long, short, description }: Option): Candidate {
  return { text: long ?? short ?? "", description };
}

function matching(word: string, candidates: readonly Candidate[]): Completions {
  return { candidates: candidates.filter(({ text }) => text.startsWith(word)), paths: null };
}

/** Returns the names of the latest kept runs; none where the store cannot be read. */
function runCandidates(folder: string | undefined): Candidate[] {
  try {
    using store = openStoreToRead(storeFolder(folder));
    if (store === null) return [];
    const runs = store.find({}).slice(0, MAX)
      .map(({ id, scenario, status, started }) => ({
        text: id,
        description: `${scenario}, ${status}, ${dateText(started)}`,
      }));
    return runs.length === 0 ? [] : [{ text: "last", description: "the latest run" }, ...runs];
  } catch {
    return []; // An error would disturb the typing
  }
}

/**
 * Completes a setting, `key=value` or `key=value,value`. Knows the settings that every scenario has, without running the
 * script; its own parameters are unknown.
 */
function settingCandidates(word: string): Candidate[] {
  const { common, kinds } = documentSchema();
  const long = [...common, ...kinds.flatMap(({ members }) => members.flatMap(({ keys }) => keys))];
  // amp=O2 is short for amp.level=O2, loss=huber for loss.kind=huber
  const short = long.flatMap((key) => {
    const record = key.path.match(/^(\w+)\.(?:kind|level)$/)?.[1];
    return record === undefined ? [] : [{ ...key, path: record }];
  });
  const keys = [...short, ...long];
  const at = word.indexOf("=");
  if (at < 0) {
    const unique = new Map(keys.map(({ path, description }) => [path, description]));
    return [...unique].map(([path, description]) => ({ text: `${path}=`, description }));
  }
  const typed = word.slice(0, word.lastIndexOf(",") + 1) || word.slice(0, at + 1);
  const types = keys.filter(({ path }) => path === word.slice(0, at)).map(({ type }) => type);
  return plain([...new Set(types.flatMap(valuesOf))].map((value) => typed + value));
}

/** Returns the words among the values of a type: `"O0" | "O1"` has O0 and O1, `true | false` both. */
function valuesOf(type: string): string[] {
  return type.split(" | ").flatMap((part) => part.match(/^(?:"(.*)"|(true|false|null))$/)?.slice(1) ?? [])
    .filter((value) => value !== undefined);
}

/** A word that completes the command line. */
interface Candidate {
  readonly text: string;
  /** A phrase, or empty. */
  readonly description: string;
}

/** Completions of a word: candidates, and the files or folders that the shell adds. */
interface Completions {
  readonly candidates: readonly Candidate[];
  readonly paths: "file" | "folder" | null;
}

const NOTHING: Completions = { candidates: [], paths: null };

/** Returns candidates without descriptions. */
function plain(texts: readonly string[]): Candidate[] {
  return texts.map((text) => ({ text, description: "" }));
}
