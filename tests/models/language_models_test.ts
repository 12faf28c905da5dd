/** Models of tokens, held against the reference in double precision. */
import { testTrainings, testVariants } from "./checks.ts";
import { gpt } from "./gpt.ts";
import { llama } from "./llama.ts";
import { lstm } from "./lstm.ts";

testTrainings([gpt, llama, lstm]);

testVariants(gpt, ["tiled", "unfused", "amp"]);
testVariants(llama, ["tiled", "unfused", "amp"]);
testVariants(lstm, ["unfused", "amp"]);
