import type { z } from "zod";
import { attachedSchema } from "../../result/attached.ts";
import type { AttachResult } from "./result.ts";

/** Schema of the results of attached programs, with which kept ones are checked. */
export const attachResultSchema: z.ZodType<AttachResult> = attachedSchema;
