import { allBlocks, commandsOf } from "./blocks.ts";

/**
 * Commands that other tests run, such as resuming an interrupted run, the page on several machines
 * (cluster/guide_full_test.ts) and the server (serve/), and benchmarks, which gate nothing.
 */
const ELSEWHERE =
  /^(sh scripts\/setup\.sh|tacho (resume|merge|submit|status|collect|bundle|serve)|deno task|deno install|git|TACHO_KERNELS=gpu deno task)\b/;

/** Commands on a script outside the repository, which readme_test.ts runs, and on data that a user downloads. */
const NOT_HERE = /\bmine\.ts\b|--data cifar-10-batches-bin/;

/** Commands of the pages, each once, in their order. */
export const commands: readonly string[] = [...new Set(allBlocks("sh").flatMap(commandsOf))]
  .filter((command) => !ELSEWHERE.test(command) && !NOT_HERE.test(command));
