/**
 * Keeps one run after the other in the store named by the first argument. Says when the store is open, when each run is
 * begun, and the id of each that is kept.
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
