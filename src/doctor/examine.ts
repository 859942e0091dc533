import { optional } from '../core/index.ts';
import { checkDiagnostics, count, type Check, type CheckResult, type Examined } from './report.ts';
import { checkRules } from './rules.ts';
import { checkCodeWorker, checkContainment, checkSnippets } from './sandbox.ts';
import { checkServers } from './servers.ts';
import { checkEligibility, checkMade, checkRoots, checkSkills } from './skills.ts';
import { checkTrust } from './trust.ts';

/** The Node that runs us. */
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

/** Whether our own files are as they should be; what is not can be put right without anybody's decision. */
function checkOwnFiles({ repairs = [] }: Examined): CheckResult {
  if (repairs.length === 0) return { id: 'files', status: 'ok', summary: 'nothing to fix', details: [] };
  return {
    id: 'files',
    status: 'warn',
    summary: `${count(repairs.length, 'thing')} to fix`,
    details: repairs.map(({ what }) => what),
    hint: 'Fix it with `skilled doctor --fix`.',
  };
}

/** Where records are kept, and whether that can be opened. */
function checkRecords({ database: { place, kind, fault } }: Examined): CheckResult {
  if (fault !== undefined) {
    const { message, hint } = fault;
    const summary = 'they cannot be kept where they should be';
    return { id: 'records', status: 'fail', summary, details: [message], ...optional('hint', hint) };
  }
  const summary =
    kind === undefined
      ? `none yet; the first one makes ${place}`
      : `kept by ${kind === 'sqlite' ? 'SQLite in' : 'PostgreSQL in'} ${place}`;
  return { id: 'records', status: 'ok', summary, details: [] };
}

/** Where runs are kept, and whether the workspace has a store that is not the user's. */
function checkRuns({ store: { place, foreign, fault } }: Examined): CheckResult {
  if (fault !== undefined) {
    const { message, hint } = fault;
    const summary = 'they cannot be kept where they should be';
    return { id: 'runs', status: 'fail', summary, details: [message], ...optional('hint', hint) };
  }
  if (foreign === undefined) return { id: 'runs', status: 'ok', summary: `kept in ${place}`, details: [] };
  return {
    id: 'runs',
    status: 'warn',
    summary: `kept in ${place}, because the store in this workspace is not yours`,
    details: [`${foreign.file}: ${foreign.reason}`],
    hint: 'Look at it, and use it as your own if you trust it: `skilled runs adopt`',
  };
}

/** Which models would be asked, as far as that can be told without asking anybody. */
function checkModels({ models: report }: Examined): CheckResult {
  const { offline, uses, faults, found, keyVariables } = report;
  const inUse = uses.filter(({ role, models }) => role !== undefined && models.length > 0);
  const details = [...inUse.map(({ role, models }) => `${role ?? ''}: ${models.join(', then ')}`), ...faults];
  if (offline) return { id: 'models', status: 'ok', summary: 'offline, no model is asked', details: [] };
  if (inUse.length === 0)
    return {
      id: 'models',
      status: 'warn',
      summary: 'none is chosen and no key is set',
      details: ['A local server is looked for when a model is first asked; `skilled models` looks now.'],
      hint: `Set ${keyVariables.join(', ')}, or choose a model: \`skilled config set --user models <provider>/<model>\``,
    };
  const where = [...new Set(found.map(({ label, variable }) => `${label} (${variable ?? ''})`))];
  const chosen = uses.some(({ from }) => from === 'found')
    ? `found: ${where[0] ?? ''}`
    : 'chosen in the settings';
  return {
    id: 'models',
    status: faults.length > 0 ? 'warn' : 'ok',
    summary: chosen,
    details,
    ...(faults.length > 0 ? { hint: '`skilled models --check` asks each of them.' } : {}),
  };
}

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
