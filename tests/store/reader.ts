/** Prints the readable runs of the store in the first argument, and the result of keeping a run there. */
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
