/**
 * Keeps runs in the store in the first argument. Prints a line when the store is open and when each run begins, and the ID
 * of each kept run.
 */
import { storeFolder } from "../../runtime/store/folder.ts";
import { openStore } from "../../runtime/store/store.ts";
import { keepWhole } from "./synthetic_run.ts";

const [folder, count] = Deno.args;
using store = openStore(storeFolder(folder));
const encoder = new TextEncoder();
const say = (line: string) => void Deno.stdout.writeSync(encoder.encode(`${line}\n`));
say("open");
for (let i = 0; i < Number(count); i++) say(keepWhole(store, 100 + i, {}, () => say("begun")));
