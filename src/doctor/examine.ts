import { counted, optional } from '../core/index.ts';
import { checkDiagnostics, type Check, type CheckResult, type Examined } from './report.ts';
import { checkRules } from './rules.ts';
import { checkCodeWorker, checkSandboxSupport, checkSnippets } from './sandbox.ts';
import { checkServers } from './servers.ts';
import { checkEligibility, checkGeneratedCode, checkRoots, checkSkills } from './skills.ts';
import { checkTrust } from './trust.ts';

/** Checks that the running version of Node.js is supported. */
function checkRuntime(): CheckResult {
  const major = Number(process.versions.node.split('.')[0]);
  const fits = major >= 24;
  return {
    id: 'runtime',
    status: fits ? 'ok' : 'fail',
    summary: `Node ${process.versions.node} on ${process.platform} ${process.arch}`,
    details: [],
    ...(fits ? {} : { hint: 'Install Node 24 or later.' }),
  };
}

/** Checks whether the package's own files need repairs. Any repair can be made without asking the user. */
function checkOwnFiles({ repairs = [] }: Examined): CheckResult {
  if (repairs.length === 0) return { id: 'files', status: 'ok', summary: 'nothing to fix', details: [] };
  return {
    id: 'files',
    status: 'warn',
    summary: `${counted(repairs.length, 'thing')} to fix`,
    details: repairs.map(({ what }) => what),
    hint: 'Run `skilled doctor --fix`.',
  };
}

/** Reports the location where records are stored and whether it can be opened. */
function checkRecords({ database: { location, kind, fault } }: Examined): CheckResult {
  if (fault !== undefined) {
    const { message, hint } = fault;
    const summary = 'the configured location cannot be used';
    return { id: 'records', status: 'fail', summary, details: [message], ...optional('hint', hint) };
  }
  const summary =
    kind === undefined
      ? `none yet; the first one creates ${location}`
      : `stored by ${kind === 'sqlite' ? 'SQLite in' : 'PostgreSQL in'} ${location}`;
  return { id: 'records', status: 'ok', summary, details: [] };
}

/**
 * Reports the location where runs are stored, and whether the workspace contains a store that does not belong
 * to the user.
 */
function checkRuns({ store: { location, foreign, fault } }: Examined): CheckResult {
  if (fault !== undefined) {
    const { message, hint } = fault;
    const summary = 'the configured location cannot be used';
    return { id: 'runs', status: 'fail', summary, details: [message], ...optional('hint', hint) };
  }
  if (foreign === undefined)
    return { id: 'runs', status: 'ok', summary: `stored in ${location}`, details: [] };
  return {
    id: 'runs',
    status: 'warn',
    summary: `stored in ${location}, because the store in this workspace is not yours`,
    details: [`${foreign.file}: ${foreign.reason}`],
    hint: 'Inspect it, and adopt it if you trust it: `skilled runs adopt`',
  };
}

/** Reports which models would be used, as far as this can be determined without calling them. */
function checkModels({ models: report }: Examined): CheckResult {
  const { offline, uses, faults, found, keyVariables } = report;
  const inUse = uses.filter(({ role, models }) => role !== undefined && models.length > 0);
  const details = [...inUse.map(({ role, models }) => `${role ?? ''}: ${models.join(', then ')}`), ...faults];
  if (offline) return { id: 'models', status: 'ok', summary: 'offline, no model is called', details: [] };
  if (inUse.length === 0)
    return {
      id: 'models',
      status: 'warn',
      summary: 'no model is configured and no key is set',
      details: ['The first model call looks for a local server; `skilled models` looks for one now.'],
      hint: `Set ${keyVariables.join(', ')}, or choose a model: \`skilled config set --user models <provider>/<model>\``,
    };
  const where = [...new Set(found.map(({ label, variable }) => `${label} (${variable ?? ''})`))];
  const chosen = uses.some(({ from }) => from === 'found')
    ? `found: ${where[0] ?? ''}`
    : 'configured in the settings';
  return {
    id: 'models',
    status: faults.length > 0 ? 'warn' : 'ok',
    summary: chosen,
    details,
    ...(faults.length > 0 ? { hint: 'Run `skilled models --check` to call each model.' } : {}),
  };
}

const checks: readonly Check[] = [
  checkRuntime,
  checkRoots,
  checkSkills,
  checkEligibility,
  checkGeneratedCode,
  checkModels,
  checkRuns,
  checkRecords,
  checkServers,
  checkTrust,
  checkRules,
  checkSandboxSupport,
  checkCodeWorker,
  checkSnippets,
  checkOwnFiles,
  checkDiagnostics,
];

/** Runs all checks in order and returns their results, which form the doctor's report. */
export function examine(examined: Examined): readonly CheckResult[] {
  return checks.map((check) => check(examined));
}
