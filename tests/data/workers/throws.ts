/** Data worker that fails outside of a batch. */
throw new Error("out of paper");
