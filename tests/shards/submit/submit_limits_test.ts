import assert from "node:assert/strict";
import { jobPlace, limitsOf, type Query, readSubmitLimits } from "../../../runtime/shards/submit/submit_limits.ts";

/** Output of a site with two accounts, in one of which the user may use the partition gpu, and QOS of jobs and partitions. */
const SITE = {
  associations: "it||normal||||\nphys|gpu|long|500|400|60|\n",
  partitions: "PartitionName=main AllowGroups=ALL Default=YES QoS=N/A DefaultTime=NONE\n" +
    "PartitionName=gpu AllowGroups=ALL Default=NO QoS=part DefaultTime=NONE\n",
  qos: "normal|20|||5||\nlong|100|90||||\nspecial|3||||1|\npart|8|||||\nunlimited||||||\n",
};

function place(options: string, variables: Record<string, string> = {}) {
  return jobPlace(options === "" ? [] : options.split(" "), (name) => variables[name]);
}

Deno.test("the limits of a job are those of its account, its QOS and its partition's QOS", () => {
  const cases: [string, Record<string, string>, number | null, number | null][] = [
    ["", {}, 20, 5],
    ["--qos=special", {}, 3, 1],
    ["-q unlimited -A it", {}, null, null],
    ["-p gpu -Aphys", {}, 8, 60],
    ["--partition gpu --account phys", {}, 8, 60],
    ["--qos=special", { SBATCH_QOS: "unlimited", SBATCH_ACCOUNT: "it" }, null, null], // sbatch prefers its variables
    ["-p none --qos none", {}, null, null],
  ];
  for (const [options, variables, submitted, running] of cases) {
    assert.deepEqual(limitsOf(SITE, place(options, variables)), { submitted, running }, options);
  }
  // Slurm's own default, where associations name no QOS
  assert.equal(limitsOf({ ...SITE, associations: "root|||||||\n" }, place("")).submitted, 20);
});

Deno.test("jobs that the user has in the queue count, and a site without accounting has no limits", async () => {
  const asked: string[] = [];
  const query: Query = (program, ...args) => {
    asked.push(`${program} ${args.join(" ")}`);
    if (program === "squeue") return Promise.resolve("1_0\n1_1\n7\n");
    return Promise.resolve(
      program === "scontrol" ? SITE.partitions : args.includes("qos") ? SITE.qos : SITE.associations,
    );
  };
  assert.deepEqual(await readSubmitLimits(query, "me", place("")), { submitted: 17, running: 5 });
  assert.match(asked[0]!, /^sacctmgr --noheader --parsable2 show associations where user=me format=Account,Partition,/);
  const none = { submitted: null, running: null };
  assert.deepEqual(await readSubmitLimits(() => Promise.resolve(null), "me", place("")), none);
});
