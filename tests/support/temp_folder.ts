/** Creates a folder for temporary files, which `using` removes at the end of the scope. */
export function tempFolder(prefix = "tacho-"): Disposable & { readonly path: string } {
  const path = Deno.makeTempDirSync({ prefix });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
