import assert from "node:assert/strict";
import { checkPublic, isPublic } from "../../../../runtime/cli/repeat/sandbox/public_address.ts";

Deno.test("addresses of this machine and of private networks are not public, however they are written", () => {
  const own = [
    ...["127.0.0.1", "127.255.255.255", "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "169.254.169.254"],
    ...["172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.0.1", "198.18.0.1", "198.19.255.255", "224.0.0.1"],
    ...["240.0.0.1", "255.255.255.255", "192.0.2.1", "203.0.113.7", "::", "::1", "fe80::1", "febf::1", "fc00::1"],
    ...["fdff::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:a00:1", "::127.0.0.1", "64:ff9b::192.168.0.1"],
    ...["64:ff9b:1::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "100::1", "fec0::1"],
  ];
  assert.deepEqual(own.filter(isPublic), []);
  const others = [
    ...["8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"],
    ...["128.0.0.1", "169.253.0.1", "172.15.255.255", "172.32.0.0", "192.167.0.1", "198.20.0.1", "223.255.255.255"],
    ...["2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808"],
  ];
  assert.deepEqual(others.filter((address) => !isPublic(address)), []);
});

Deno.test("a download needs https, the usual port and a public host", async () => {
  const refused = [
    ...["http://modules.example/", "https://modules.example:8443/", "http://8.8.8.8/", "ftp://modules.example/", "x"],
    ...["file:///etc/passwd", "data:text/javascript,1", "blob:null/1", "https://localhost/", "https://LOCALHOST./"],
    ...["https://a.b.localhost/", "https://127.1/", "https://0x7f.1/", "https://017700000001/", "https://2130706433/"],
    ...["https://%6cocalhost/", "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://192.168.1.1./", "https://0/"],
    ...["https://user:secret@127.0.0.1/", "https://169.254.169.254/latest/meta-data", "https://[fd00::1]/"],
  ];
  for (const address of refused) {
    await assert.rejects(() => checkPublic(address, "x.lock.json"), {
      name: "InputError",
      message: /^x\.lock\.json: /,
    });
  }
  for (const address of ["https://8.8.8.8/", "https://[2606:4700::1111]/x", "https://unknown.example/a.js"]) {
    await checkPublic(address, "x.lock.json");
  }
});
