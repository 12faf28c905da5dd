import type { CommandHost } from "./host.ts";
import { launch, resume, STDIN } from "./launch.ts";
import { descendants, signal } from "./processes.ts";
import { adoptOrphans, cpuTime, openProcess, poll, waitFor } from "./libc.ts";

/** Attempts to end processes that start others meanwhile, and the time between them in ms. */
const [ATTEMPTS, PAUSE] = [500, 2];

/** Runs commands on Linux, with their processor time and memory. */
export const linuxHost: CommandHost = {
  open: adoptOrphans,

  async run(launched, files, { timeout, untilClosed, started }) {
    const pid = await launch(launched, files);
    started?.(pid);
    let state = waitFor(pid, { block: true });
    let wall = 0;
    let before = 0;
    if (state.state !== "ended") {
      using process = openProcess(pid);
      before = cpuTime(pid);
      const begin = performance.now();
      resume(pid);
      const ready = poll([process.fd, ...untilClosed ? [STDIN] : []], timeout);
      wall = performance.now() - begin;
      if (!ready.includes(process.fd)) {
        linuxHost.end();
        return ready.length === 0 ? "timeout" : "closed";
      }
      state = waitFor(pid, { block: true });
    }
    if (state.state !== "ended") throw new Error(`Process ${pid} is ${state.state}`);
    const { user, system, memory, status } = state;
    // The shell's start is part of the sum, and the parts are estimates of the system
    const own = user + system === 0 ? 0 : Math.max(0, 1 - before / (user + system));
    return { wall, user: user * own, system: system * own, memory, status };
  },

  end() {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const all = descendants(Deno.pid);
      if (all.length === 0) return;
      for (const pid of all) {
        signal(pid, "SIGKILL");
        waitFor(pid, { block: false });
      }
      poll([], PAUSE);
    }
  },
};
