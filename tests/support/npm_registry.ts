/** A registry of npm on this machine, for tests that install a package. */
/** A registry that serves one package. */
export interface NpmRegistry extends AsyncDisposable {
  /** Line of an `.npmrc` by which the scope of the package is looked up here, and no other. */
  readonly npmrc: string;
}

/**
 * Serves the package in a tarball, on a free port.
 *
 * @param tarball path of a file that `npm pack` or `deno pack` could have written
 */
export async function serveNpmPackage(tarball: string): Promise<NpmRegistry> {
  const bytes = await Deno.readFile(tarball);
  const manifest = JSON.parse(await manifestIn(tarball)) as { name: string; version: string };
  const { name, version } = manifest;
  const integrity = `sha512-${new Uint8Array(await crypto.subtle.digest("SHA-512", bytes)).toBase64()}`;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    const { origin, pathname } = new URL(url);
    if (pathname === "/package.tgz") return new Response(bytes);
    if (decodeURIComponent(pathname) !== `/${name}`) return new Response("not found", { status: 404 });
    const dist = { tarball: `${origin}/package.tgz`, integrity };
    return Response.json({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } });
  });
  const [scope] = name.split("/");
  return {
    npmrc: `${scope}:registry=http://127.0.0.1:${server.addr.port}/\n`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function manifestIn(tarball: string): Promise<string> {
  const { stdout } = await new Deno.Command("tar", { args: ["xzOf", tarball, "package/package.json"] }).output();
  return new TextDecoder().decode(stdout);
}
