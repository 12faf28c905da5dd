import { statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readKernelFile } from "../core/files.ts";

/**
 * Network and cluster file systems by the `f_type` of statfs(2); the numbers are those of the kernel's linux/magic.h and of
 * stat(1). SQLite needs locks and shared memory that work between all processes, which these do not guarantee
 * ("Use Of Memory-Mapped I/O And Network Filesystems", sqlite.org/wal.html).
 */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01021997, "9p"],
  [0x19830326, "BeeGFS"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x20030528, "OrangeFS"],
  [0xaad7aaea, "PanFS"],
  [0xbeefdead, "SNFS"],
  [0x013111a8, "IBRIX"],
]);

/** Type of file systems of user space, which may be local. */
const FUSE = 0x65735546;

/** File systems of user space that are on a network, by the type in /proc/self/mountinfo. */
const NETWORK_FUSE =
  /^fuse\.(?:sshfs|glusterfs|ceph|ceph-fuse|juicefs|s3fs|gcsfuse|goofys|rclone|moosefs|mfs|lizardfs|orangefs|cvmfs2?|curlftpfs|davfs2?|blobfuse2?)$/i;

/** Access to the file systems of this machine. */
export interface FileSystems {
  /** Returns the `f_type` of the file system of a path, or 0 if unknown; throws if the path does not exist. */
  typeOf(path: string): number;
  /** Returns the content of /proc/self/mountinfo; empty if unknown. */
  mounts(): string;
  readonly os: typeof Deno.build.os;
}

const MACHINE: FileSystems = {
  typeOf(path) {
    // statfs() would ask for what is not granted
    const needed = [{ name: "read", path }, { name: "sys", kind: "statfs" }] as const;
    if (needed.some((one) => Deno.permissions.querySync(one).state !== "granted")) return 0;
    return statfsSync(path).type;
  },
  mounts() {
    try {
      return readKernelFile("/proc/self/mountinfo");
    } catch {
      return ""; // not permitted
    }
  },
  os: Deno.build.os,
};

/**
 * Returns the name of the network file system that a folder is on, or will be when it is made. Null for a local one, and
 * where the type is unknown: without permission to read it, and outside Linux, except for the shares of Windows.
 */
export function networkFileSystem(folder: string, systems: FileSystems = MACHINE): string | null {
  if (systems.os === "windows") return /^[\\/]{2}[^\\/?.]/.test(folder) ? "network share" : null;
  if (systems.os !== "linux") return null;
  for (let path = resolve(folder);; path = dirname(path)) {
    try {
      const type = systems.typeOf(path) >>> 0; // a signed word on 32-bit systems
      return type === FUSE ? networkFuse(path, systems) : NETWORK.get(type) ?? null;
    } catch {
      if (path === dirname(path)) return null;
    }
  }
}

/** Returns the type of the mount that a path is on, if it is a file system of user space on a network. */
function networkFuse(path: string, systems: FileSystems): string | null {
  const mounts = systems.mounts().split("\n").flatMap((line) => {
    // 36 35 98:0 /root /mount/point options - type source options
    const [, point, type] = line.match(/^\S+ \S+ \S+ \S+ (\S+) .* - (\S+) /) ?? [];
    return point === undefined || type === undefined ? [] : [{ point: unescaped(point), type }];
  });
  const above = mounts.filter(({ point }) => path === point || path.startsWith(point === "/" ? "/" : `${point}/`));
  const nearest = above.reduce((best, one) => one.point.length >= best.point.length ? one : best, {
    point: "",
    type: "",
  });
  return NETWORK_FUSE.test(nearest.type) ? nearest.type : null;
}

/** Replaces the octal escapes of blanks and backslashes in a mount point. */
function unescaped(point: string): string {
  return point.replaceAll(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
}
