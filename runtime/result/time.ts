import { z } from "zod";

/** Largest distance of a date from 1970 in JavaScript, in ms. */
const LATEST = 8.64e15;

/** Time in ms since 1970 that a date can express. */
export const timeSchema = z.number().min(-LATEST).max(LATEST);
