/** Prints what can be read of the store named by the first argument, and what it says to a run that is to be kept. */
import { openStore, openStoreToRead } from "../../runtime/store/store.ts";
import { keepWhole } from "./synthetic_run.ts";

const [folder = ""] = Deno.args;
{
  using store = openStoreToRead(folder);
  const runs = store?.find() ?? [];
  console.log(JSON.stringify(runs.map(({ id }) => [id, store?.result(id)?.variants.length])));
}
try {
  using store = openStore(folder);
  console.log(keepWhole(store));
} catch (error) {
  console.log(String(error));
}
