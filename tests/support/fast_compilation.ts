/**
 * Makes Mesa's software drivers compile kernels without optimization, in this process and those that it starts. Other drivers
 * ignore it. For tests that compile many kernels and run each on a few numbers. Import it before a device is opened.
 *
 * @module
 */
Deno.env.set("GALLIVM_PERF", "nopt");
