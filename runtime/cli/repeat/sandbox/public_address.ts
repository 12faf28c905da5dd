import { lookup } from "node:dns/promises";
import { BlockList } from "node:net";
import { InputError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { clipped } from "../../../core/shown.ts";

/** Special ranges of IPv4 (RFC 6890): this machine, private and shared networks, links, tests, groups. */
const SPECIAL_IPV4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
  "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";

/** Prefixes of 96 bits before an address of IPv4: mapped addresses, and NAT64. */
const EMBEDDING = ["::ffff:", "64:ff9b::"];

/** Special ranges within the public ones of IPv6: protocols, tunnels that contain IPv4, documentation. */
const SPECIAL_IPV6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";

const publicRanges = new BlockList();
const specialRanges = new BlockList();
publicRanges.addSubnet("0.0.0.0", 0);
publicRanges.addSubnet("2000::", 3, "ipv6");
for (const prefix of EMBEDDING) publicRanges.addSubnet(`${prefix}0.0.0.0`, 96, "ipv6");
for (const [address, length] of rangesOf(SPECIAL_IPV4)) {
  specialRanges.addSubnet(address, length);
  for (const prefix of EMBEDDING) specialRanges.addSubnet(prefix + address, 96 + length, "ipv6");
}
for (const [address, length] of rangesOf(SPECIAL_IPV6)) specialRanges.addSubnet(address, length, "ipv6");

/** Returns true for an IP address of the public Internet. */
export function isPublic(address: string): boolean {
  const family = address.includes(":") ? "ipv6" : "ipv4";
  return publicRanges.check(address, family) && !specialRanges.check(address, family);
}

/**
 * Checks an address before something is downloaded from it for a script in a sandbox: its host and all that the name of the
 * host resolves to are public, and it is reached by https on the usual port. There, a name that changes its meaning after
 * this check finds a server without the certificate for it.
 *
 * @param where origin of the script, for messages
 * @throws {InputError} if it is another address
 */
export async function checkPublic(address: string, where: string): Promise<void> {
  const url = URL.parse(address);
  if (url?.protocol !== "https:" || url.port !== "") {
    throw refused(where, address, "the sandbox downloads by https on port 443 alone");
  }
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const found = /^(.*\.)?localhost$/.test(host) ? ["127.0.0.1"] : await addressesOf(host);
  const own = found.find((ip) => !isPublic(ip));
  if (own === undefined) return;
  throw refused(where, address, `${own} is an address of this machine or of a private network`);
}

function refused(where: string, address: string, why: string): InputError {
  return new InputError(`${where}: imports ${printable(clipped(address, 200))}, and ${why}; use --trust to allow it`);
}

/** Returns the addresses of a host; none for an unknown name, which a proxy may know. */
async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return [];
  }
}

function rangesOf(text: string): [address: string, length: number][] {
  return text.split(" ").map((range) => range.split("/")).map(([address, length]) => [address!, Number(length)]);
}
