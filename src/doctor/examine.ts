import type { Check, CheckResult, Examined } from './check.ts';
import { checkContainment } from './containment.ts';
import { checkDiagnostics } from './diagnostics.ts';
import { checkEligibility } from './eligibility.ts';
import { checkCodeWorker, checkSnippets } from './execution.ts';
import { checkMade } from './made.ts';
import { checkModels } from './models.ts';
import { checkOwnFiles } from './own-files.ts';
import { checkRecords } from './records.ts';
import { checkRoots } from './roots.ts';
import { checkRules } from './rules.ts';
import { checkRuns } from './runs.ts';
import { checkRuntime } from './runtime.ts';
import { checkServers } from './servers.ts';
import { checkSkills } from './skills.ts';
import { checkTrust } from './trust.ts';

const checks: readonly Check[] = [
  checkRuntime,
  checkRoots,
  checkSkills,
  checkEligibility,
  checkMade,
  checkModels,
  checkRuns,
  checkRecords,
  checkServers,
  checkTrust,
  checkRules,
  checkContainment,
  checkCodeWorker,
  checkSnippets,
  checkOwnFiles,
  checkDiagnostics,
];

/** The doctor's report: every check, in order. */
export function examine(examined: Examined): readonly CheckResult[] {
  return checks.map((check) => check(examined));
}
