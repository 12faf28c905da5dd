/** A data worker that fails outside of any batch. */
throw new Error("out of paper");
