/** What a data worker does when the script that it imports is wrong. */
import "../../runtime/cli/guard.ts";
import { InputError } from "../../runtime/core/errors.ts";

throw new InputError("In a worker");
