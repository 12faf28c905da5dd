/** Keeps one run after the other in the store named by the first argument, and prints the id of each that is kept. */
import { storeFolder } from "../../runtime/store/folder.ts";
import { openStore } from "../../runtime/store/store.ts";
import { keepWhole } from "./synthetic_run.ts";

const [folder, count] = Deno.args;
using store = openStore(storeFolder(folder));
const encoder = new TextEncoder();
Deno.stdout.writeSync(encoder.encode("open\n"));
for (let i = 0; i < Number(count); i++) Deno.stdout.writeSync(encoder.encode(`${keepWhole(store, 100 + i)}\n`));
