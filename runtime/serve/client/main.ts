/// <reference lib="dom" />
import { PROBLEM_ID } from "../payloads.ts";
import { comparePage } from "./compare_page.ts";
import { createFrame } from "./frame.ts";
import { historyPage } from "./history_page.ts";
import { runPage } from "./run_page.ts";
import { runsPage } from "./runs_page.ts";

const problem = document.getElementById(PROBLEM_ID)?.textContent ?? null;
const [, folder, name] = location.pathname.split("/");

if (problem !== null) createFrame("Tacho").setProblem(JSON.parse(problem) as string);
else if (folder === "compare") void comparePage();
else if (folder === "history") void historyPage();
else if (folder === "runs") runPage(decodeURIComponent(name!));
else runsPage();
