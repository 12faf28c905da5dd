import assert from "node:assert/strict";
import {
  expectedRounds,
  plannedRounds,
  type RoundsSoFar,
  stopReason,
} from "../../../runtime/experiment/rounds/stopping.ts";

const soFar = (rounds: number, more: Partial<RoundsSoFar> = {}): RoundsSoFar => ({
  rounds,
  elapsed: rounds * 1000,
  lastRound: 1000,
  halfWidths: () => assert.fail("looked at the intervals"),
  ...more,
});

Deno.test("a fixed number of rounds runs without looking at intervals", () => {
  const rules = { rounds: 8, precision: null, maxTime: null };
  assert.equal(plannedRounds(rules), 8);
  for (let rounds = 0; rounds < 8; rounds++) assert.equal(stopReason(rules, soFar(rounds)), null);
  assert.equal(stopReason(rules, soFar(8)), "rounds");
});

Deno.test("with a precision, rounds continue until every interval is narrow enough, checked every fourth round from the 8th", () => {
  const rules = { rounds: 3, precision: 0.02, maxTime: null };
  const looks: number[] = [];
  for (let rounds = 0; rounds <= 20; rounds++) {
    const halfWidths = () => {
      looks.push(rounds);
      return [0.01, rounds < 20 ? 0.03 : 0.02];
    };
    assert.equal(stopReason(rules, soFar(rounds, { halfWidths })), rounds < 20 ? null : "precision");
  }
  assert.deepEqual(looks, [8, 12, 16, 20]);
  assert.equal(stopReason(rules, soFar(8, { halfWidths: () => [0.01, null] })), null, "an interval is not known");
  assert.equal(stopReason({ ...rules, rounds: 9 }, soFar(8)), null, "more rounds were asked for");
  assert.equal(plannedRounds(rules), 100);
  assert.equal(stopReason(rules, soFar(100)), "rounds", "it never gets there");
  assert.equal(stopReason(rules, soFar(8, { halfWidths: () => [] })), "rounds", "there is nothing to compare");
});

Deno.test("no round starts that would exceed the time, except the first or a minimum number", () => {
  const rules = { rounds: 8, precision: null, maxTime: 3.5 };
  const reasons = [0, 1, 2, 3].map((rounds) => stopReason(rules, soFar(rounds)));
  assert.deepEqual(reasons, [null, null, null, "time"]);
  assert.equal(stopReason({ ...rules, maxTime: 1e-6 }, soFar(0)), null);
  const sure = { ...rules, rounds: 20, maxTime: 1e-6, minRounds: 6 };
  assert.deepEqual([5, 6].map((rounds) => stopReason(sure, soFar(rounds))), [null, "time"]);
});

Deno.test("the expected rounds follow the maximum time and the width of the intervals", () => {
  const fixed = { rounds: 20, precision: null, maxTime: null };
  assert.equal(expectedRounds(fixed, { rounds: 0, roundTime: null, look: null }), 20);
  const timed = { ...fixed, maxTime: 10 };
  assert.equal(expectedRounds(timed, { rounds: 0, roundTime: null, look: null }), 20, "nothing is timed yet");
  assert.equal(expectedRounds(timed, { rounds: 1, roundTime: 1500, look: null }), 6);
  assert.equal(expectedRounds(timed, { rounds: 1, roundTime: 100, look: null }), 20);
  assert.equal(expectedRounds({ ...timed, minRounds: 9 }, { rounds: 1, roundTime: 1500, look: null }), 9);
  const precise = { rounds: 3, precision: 0.02, maxTime: null };
  assert.equal(expectedRounds(precise, { rounds: 2, roundTime: 1, look: null }), 8, "the first look");
  const look = { rounds: 8, halfWidths: [0.01, 0.04, null] };
  assert.equal(expectedRounds(precise, { rounds: 8, roundTime: 1, look }), 32, "a quarter of the variance");
  assert.equal(expectedRounds(precise, { rounds: 8, roundTime: 1, look: { rounds: 8, halfWidths: [1] } }), 100);
  assert.equal(expectedRounds({ ...precise, maxTime: 10 }, { rounds: 8, roundTime: 1000, look }), 10);
});
