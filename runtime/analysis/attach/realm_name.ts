/** Names a frame or worker by its file. Programs have workers only, by their specifiers. */
export function realmName(realm: string): string {
  const [, kind = "worker", address = ""] = /^(frame |worker )?(.*)$/s.exec(realm) ?? [];
  const file = address.startsWith("data:") ? "of a data: address" : address.split(/[?#]/)[0]!.split("/").at(-1);
  return `${kind.trim()} ${file || address}`;
}
