import assert from "node:assert/strict";
import { join } from "node:path";
import { checkLocal } from "../../runtime/store/database.ts";
import { type FileSystems, networkFileSystem } from "../../runtime/store/network_folder.ts";

/** Systems in which `/shared` and what is below it has a type, `/shared/new` does not exist, and the rest is ext4. */
function systems(type: number, mounts = "", os: FileSystems["os"] = "linux"): FileSystems {
  return {
    os,
    mounts: () => mounts,
    typeOf(path) {
      if (path.startsWith("/shared/new")) throw new Error("ENOENT");
      return path.startsWith("/shared") ? type : 0xef53;
    },
  };
}

Deno.test("network file systems are known by the type of the folder, or of the nearest one that exists", () => {
  const types: [number, string | null][] = [
    [0x6969, "NFS"],
    [0x0bd00bd0, "Lustre"],
    [0x47504653, "GPFS"],
    [0xff534d42, "CIFS"],
    [0xff534d42 | 0, "CIFS"], // as a signed word
    [0x01021997, "9p"],
    [0x19830326, "BeeGFS"],
    [0x01021994, null], // tmpfs
    [0x794c7630, null], // overlayfs
    [0x9123683e, null], // Btrfs
  ];
  for (const [type, name] of types) {
    assert.equal(networkFileSystem("/shared/new/er", systems(type)), name);
    assert.equal(networkFileSystem("/local", systems(type)), null);
  }
  assert.equal(networkFileSystem("/shared", systems(0x6969, "", "darwin")), null);
});

Deno.test("a file system of user space is one of a network by its mount", () => {
  const mounts = [
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw",
    "30 22 0:40 / /shared rw,nosuid shared:1 - fuse.ntfs /dev/sdb1 rw",
    "31 30 0:41 / /shared/my\\040files rw - fuse.sshfs host:/home rw",
  ].join("\n");
  const fuse = systems(0x65735546, mounts);
  assert.equal(networkFileSystem("/shared/my files/store", fuse), "fuse.sshfs");
  assert.equal(networkFileSystem("/shared/store", fuse), null);
});

Deno.test("shares of Windows are network folders, and paths of devices are not", () => {
  const windows = systems(0, "", "windows");
  assert.equal(networkFileSystem("\\\\server\\share\\tacho", windows), "network share");
  assert.equal(networkFileSystem("\\\\?\\C:\\tacho", windows), null);
  assert.equal(networkFileSystem("C:\\tacho", windows), null);
});

Deno.test("a store is refused on a network file system, and accepted on this one", async () => {
  const folder = await Deno.makeTempDir();
  try {
    assert.doesNotThrow(() => checkLocal(folder, join(folder, "runs.sqlite")));
    assert.throws(
      () => checkLocal(folder, "/shared/runs.sqlite", (path) => path === folder ? "NFS" : null),
      /^StoreError: The store \/shared\/runs\.sqlite cannot be on a network file system \(NFS\).*--store DIR/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
