import type { Containment } from '../config/containment.ts';
import type { ModelReport } from '../config/model-report.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Permissions } from '../core/policy.ts';
import type { TrustBook } from '../policy/trust-book.ts';
import type { Check, CheckResult } from './check.ts';
import { checkContainment } from './containment.ts';
import { checkDiagnostics } from './diagnostics.ts';
import { checkEligibility } from './eligibility.ts';
import { checkModels } from './models.ts';
import { checkRoots } from './roots.ts';
import { checkRules } from './rules.ts';
import { checkRuntime } from './runtime.ts';
import { checkSkills } from './skills.ts';
import { checkTrust } from './trust.ts';

const checks: readonly Check[] = [
  checkRuntime,
  checkRoots,
  checkSkills,
  checkEligibility,
  checkModels,
  checkTrust,
  checkRules,
  checkContainment,
  checkDiagnostics,
];

/** The doctor's report: every check, in order. */
export function examine(
  agent: RecursiveSkilledAgent,
  models: ModelReport,
  found: Containment,
  book: TrustBook,
  permissions: Permissions,
): readonly CheckResult[] {
  return checks.map((check) => check(agent, models, found, book, permissions));
}
