import assert from "node:assert/strict";
import { moment } from "../../../runtime/cli/flag_values.ts";
import { dateText } from "../../../runtime/library/kept/date_text.ts";

const NOW = Date.parse("2026-11-20T12:00");
const at = moment("--since", NOW);
const HOUR = 3_600_000;

Deno.test("an age counts back from now, and a date is in the machine's time zone", () => {
  assert.equal(at("12h"), NOW - 12 * HOUR);
  assert.equal(at("1.5 d"), NOW - 36 * HOUR);
  assert.equal(at("2W"), NOW - 14 * 24 * HOUR);
  assert.equal(at("45min"), NOW - 0.75 * HOUR);
  assert.equal(at("0s"), NOW);
  assert.equal(at("2026-11-20"), NOW - 12 * HOUR);
  assert.equal(at("2026-11-20T11:30"), NOW - 0.5 * HOUR);
  assert.equal(dateText(at("2026-01-02 03:04")), "2026-01-02 03:04");
});

Deno.test("other times are refused", () => {
  for (
    const text of [
      `${"9".repeat(400)}d`,
      "",
      "d",
      "5",
      "5m",
      "5 months",
      "-3d",
      "2026",
      "2026-02-30T25:00",
      "2026-13-01",
      "now",
      "1e3d",
      "1constructor",
      "3toString",
    ]
  ) {
    assert.throws(() => at(text), /^InputError: --since: expected an age such as 30d, 12h or 45min, or a date/, text);
  }
});
