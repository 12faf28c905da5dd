/**
 * A script that fails outside `run()`. Its first argument selects the fault.
 */
import "../../runtime/cli/guard.ts";
import { run } from "../../runtime/cli/run.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { resnet } from "../../runtime/nn/resnet.ts";

const [fault] = Deno.args;

if (fault === "top-level") {
  // @ts-expect-error the mistake of a user who does not check types
  resnet({ dpeth: 3, classes: 10 });
}
if (fault === "top-level-await") await Promise.reject(new InputError("Rejected"));
if (fault === "timer") setTimeout(() => reject("Thrown later"));
if (fault === "foreign") throw new RangeError("Not ours");
if (fault === "worker") {
  const worker = new Worker(import.meta.resolve("./faulty_worker.ts"), { type: "module" });
  worker.onerror = (event) => {
    event.preventDefault();
    console.log(`the worker's owner heard: ${event.message}`);
    worker.terminate();
  };
}
if (fault === "caught") {
  try {
    reject("Caught");
  } catch (error) {
    console.log(`caught ${(error as Error).message}`);
  }
}
if (fault === "unregistered") await run();

function reject(message: string): never {
  throw new InputError(message);
}
