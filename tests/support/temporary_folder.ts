/** Makes a temporary folder, which is removed on disposal. */
export async function temporaryFolder(
  options: Deno.MakeTempOptions = {},
): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir(options);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
