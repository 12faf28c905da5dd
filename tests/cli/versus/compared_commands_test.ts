import { deepEqual, equal, throws } from "node:assert/strict";
import { comparedCommands } from "../../../runtime/cli/versus/compared_commands.ts";
import { define } from "../../../runtime/cli/versus/versus_flags.ts";
import { parseCommand } from "../../../runtime/cli/parse_command.ts";
import type { CommandSpec } from "../../../runtime/scenario/command.ts";

function compared(...args: string[]) {
  const command = define();
  parseCommand(command, args);
  return comparedCommands(command.args, command.opts());
}

/** Returns the kind and the command of each arm by its name. */
function arms(...args: string[]) {
  return Object.fromEntries([...compared(...args).specs].map(([name, { kind, command }]) => [name, [kind, command]]));
}

Deno.test("names come from -n, from NAME=COMMAND, or are letters", () => {
  deepEqual(arms("-n", "one", "x=1 ./a", "b=./b", "./c"), {
    one: ["command", "x=1 ./a"],
    b: ["command", "./b"],
    c: ["command", "./c"],
  });
  deepEqual(arms("A=deno run a.ts", "B=1 deno run b.ts"), {
    A: ["program", ["deno", "run", "a.ts"]],
    b: ["program", ["deno", "run", "b.ts"]],
  });
  deepEqual(arms("CC=gcc make", "w=node b.js"), { a: ["command", "CC=gcc make"], w: ["command", "node b.js"] });
  throws(() => compared("-n", "a", "-n", "b", "./c"), /-n: got 2 names for 1 commands/);
  throws(() => compared("a=./x", "a=./y"), /two programs have the name "a"/);
});

Deno.test("programs of Deno are held, unless a flag or another command takes whole runs", () => {
  const kinds = (...args: string[]) => [...compared(...args).specs.values()].map(({ kind }) => kind);
  deepEqual(kinds("deno run a.ts"), ["program"]);
  deepEqual(kinds("deno run a.ts", "./b"), ["command", "command"]);
  deepEqual(kinds("-p", "sync", "deno run a.ts"), ["command"]);
  deepEqual(kinds("--steps", "run", "deno run a.ts"), ["command"]);
  equal(compared("--steps", "stdout:/^step/", "deno run a.ts").whole, false);
  throws(() => compared("--steps", "mark", "python3 a.py"), /"python3 a\.py" is no program of Deno; give --steps run/);
  throws(() => compared("--steps", "mark", "-N", "deno run a.ts"), /-N needs commands that are not held/);
  throws(() => compared("--steps", "stdout:/(/", "./a"), /\(: not a regular expression: Unterminated group/);
  throws(() => compared("--steps", "lines", "./a"), /expected run or stdout:\/REGEX\/, got "lines"; or auto/);
});

Deno.test("values of parameters fill the commands, and name the arms", () => {
  const specs = compared("--parameter", "n=1..3:2", "--parameter", "cc=gcc,clang", "-p", "rm {n}", "{cc} -j{n}").specs;
  deepEqual([...specs.keys()], ["n=1-cc=gcc", "n=1-cc=clang", "n=3-cc=gcc", "n=3-cc=clang"]);
  const last = specs.get("n=3-cc=clang") as CommandSpec;
  deepEqual([last.command, last.prepare, last.parameters], ["clang -j3", "rm 3", { n: 3, cc: "clang" }]);
  deepEqual(Object.keys(arms("--parameter", "n=1,2", "./a {n}", "./b {n}")), ["a-n=1", "a-n=2", "b-n=1", "b-n=2"]);
  deepEqual(Object.keys(arms("--parameter", "n=1,2", "-n", "j{n}", "make -j{n}")), ["j1", "j2"]);
  throws(() => compared("--parameter", "n", "./a"), /expected a name and its values, such as n=1\.\.4/);
  throws(() => compared("--parameter", "n=4..1:1", "./a"), /--parameter n=4\.\.1:1: a step of 1 does not lead from 4/);
});

Deno.test("commands around the runs are given once, or for each command", () => {
  const prepared = (...args: string[]) =>
    [...compared(...args).specs.values()].map((spec) => (spec as CommandSpec).prepare);
  deepEqual(prepared("-p", "sync", "./a", "./b"), ["sync", "sync"]);
  deepEqual(prepared("-p", "one", "-p", "two", "./a", "./b"), ["one", "two"]);
  throws(() => prepared("-p", "1", "-p", "2", "./a"), /--prepare: expected one command, or one for each of 1, got 2/);
});
