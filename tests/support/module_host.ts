/**
 * A host of modules that looks public: processes reach `https://modules.example` through a proxy on this machine.
 *
 * @module
 */
import { join } from "node:path";
import { isInstalled } from "./is_installed.ts";

/** True if this machine has what a host needs. */
export const CAN_SERVE: boolean = await isInstalled("openssl", ["version"]);

const HOST = "modules.example";

export interface ModuleHost extends AsyncDisposable {
  /** Address before the paths of the modules; another each time, since Deno keeps what it downloads. */
  readonly origin: string;
  /** Environment variables with which a process reaches the host. */
  readonly env: Record<string, string>;
  /** Paths that were asked. */
  readonly asked: string[];
  /** Hosts with their ports that were asked of the proxy. */
  readonly hosts: string[];
}

/** Serves modules by path; a text that begins with `http` redirects. */
export async function serveModules(modules: Readonly<Record<string, string>>): Promise<ModuleHost> {
  const folder = await Deno.makeTempDir();
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder, name)) as [string, string];
  await certify(HOST, key, cert);
  const origin = `https://${HOST}/${crypto.randomUUID()}`;
  const asked: string[] = [];
  const hosts: string[] = [];
  const server = Deno.serve({
    ...{ hostname: "127.0.0.1", port: 0, onListen() {} },
    cert: await Deno.readTextFile(cert),
    key: await Deno.readTextFile(key),
  }, ({ url }) => {
    const pathname = url.slice(origin.length);
    asked.push(pathname);
    const text = modules[pathname];
    if (text === undefined) return new Response("not found", { status: 404 });
    if (text.startsWith("http")) return Response.redirect(text);
    return new Response(text, { headers: { "content-type": "text/javascript" } });
  });
  const proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const tunnels = forward(proxy, server.addr.port, (host) => hosts.push(host));
  const address = `http://127.0.0.1:${proxy.addr.port}`;
  return {
    env: { HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: "", DENO_CERT: cert },
    ...{ origin, asked, hosts },
    async [Symbol.asyncDispose]() {
      proxy.close();
      await tunnels;
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Writes a new key of a host and its certificate, which is also the one to trust. */
async function certify(host: string, key: string, cert: string): Promise<void> {
  const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [...args, ...names, "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", cert],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** Connects what asks the proxy for a tunnel with the server, and refuses everything else. */
async function forward(proxy: Deno.TcpListener, port: number, onHost: (host: string) => void): Promise<void> {
  const tunnels: Promise<void>[] = [];
  for await (const client of proxy) tunnels.push(tunnel(client, port, onHost).catch(() => {}));
  await Promise.all(tunnels);
}

async function tunnel(client: Deno.TcpConn, port: number, onHost: (host: string) => void): Promise<void> {
  using _ = client;
  const part = new Uint8Array(4096);
  const count = await client.read(part) ?? 0;
  const [method, host = ""] = new TextDecoder().decode(part.subarray(0, count)).split(" ");
  onHost(host);
  const answer = method === "CONNECT" ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 502 Refused\r\nContent-Length: 0\r\n\r\n";
  await client.write(new TextEncoder().encode(answer));
  if (method !== "CONNECT") return;
  using server = await Deno.connect({ hostname: "127.0.0.1", port });
  await Promise.all([client.readable.pipeTo(server.writable), server.readable.pipeTo(client.writable)]);
}
