/** Asks for adapters by the names in the arguments, one after the other, and prints each one or the refusal as JSON. */
import { findAdapter } from "../../runtime/device/adapter.ts";

for (const match of Deno.args) {
  const found = await findAdapter(match === "" ? {} : { match }).then(
    (opened) => opened?.info ?? null,
    (error: Error) => ({ refused: error.message }),
  );
  console.log(JSON.stringify(found));
}
Deno.exit(0);
