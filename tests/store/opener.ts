/** Opens the stores `0`, `1`, ... in a folder: to write ("write"), or to read as soon as they exist ("read"). */
import { join } from "node:path";
import { Database } from "../../runtime/store/database.ts";

const [purpose, folder, count] = Deno.args;
for (let i = 0; i < Number(count); i++) {
  const store = join(folder!, String(i));
  const database = purpose === "write" ? Database.open(store) : await opened(store);
  database.close();
}

async function opened(store: string): Promise<Database> {
  while (true) {
    const database = Database.openToRead(store);
    if (database !== null) return database;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
