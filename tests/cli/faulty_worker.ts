/** A data worker that imports a faulty script. */
import "../../runtime/cli/guard.ts";
import { InputError } from "../../runtime/core/errors.ts";

throw new InputError("In a worker");
