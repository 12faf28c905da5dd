export { build, type BuildOptions, stop, transform } from "npm:esbuild@0.28.2";
