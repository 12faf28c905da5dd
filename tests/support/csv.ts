import assert from "node:assert/strict";

/** Parses CSV strictly (RFC 4180). */
export function parseCsv(text: string): string[][] {
  return text.trimEnd().split("\n").map((line) => {
    const fields: string[] = [];
    const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
    for (let end = ","; end === ",";) {
      const match = pattern.exec(line);
      assert(match !== null, `Not CSV: ${line.slice(0, 200)}`);
      fields.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
      end = match[3]!;
    }
    assert.equal(pattern.lastIndex, line.length);
    return fields;
  });
}
