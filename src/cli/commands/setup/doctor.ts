import { machineFor } from '../../../config/models/find-models.ts';
import { reportKeys } from '../../../config/models/report.ts';
import { ownFolders } from '../../../config/paths.ts';
import { readSettings, settingsSources } from '../../../config/read/settings.ts';
import { reportCode, reportSandboxSupport, reportSnippets } from '../../../config/sandbox-report.ts';
import { reportServers } from '../../../config/servers/report.ts';
import { reportDatabase } from '../../../config/storage/open-database.ts';
import { reportStore } from '../../../config/storage/run-store.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import { optional } from '../../../core/index.ts';
import { examine } from '../../../doctor/examine.ts';
import { findRepairs, fix, type FixResult, type Repair } from '../../../doctor/repairs.ts';
import type { CheckResult } from '../../../doctor/report.ts';
import {
  fitRows,
  issueJson,
  modelSources,
  oneLine,
  openAgent,
  paint,
  pasteableRows,
  printJson,
  skillJson,
  withPasteable,
  type CliCommand,
  type CommonFlags,
  type Terminal,
} from '../../command-kit.ts';

/** `skilled doctor`: runs every check and prints details. Exits with 3 if a check fails. */
export const doctor: CliCommand = {
  summary:
    'Check the setup: roots, skills, eligibility, models, runs, records, servers, trust, rules, sandbox, code execution, issues.',
  usage: `Usage: skilled doctor [--fix] [--json]

  skilled doctor
  skilled doctor --fix

  --fix  first repair skilled's own files where possible: lines of .skilled/.gitignore,
         permissions of your settings, leftovers of killed processes, damaged caches;
         never changes skills or trust`,
  options: { fix: { type: 'boolean' } },
  async run({ flags, own, terminal }) {
    await using agent = await openAgent(flags);
    const sources = modelSources({ flags, own: {}, lists: {} });
    const models = reportKeys(sources, machineFor(flags.safe ? undefined : flags.cwd));
    const { settings } = readSettings(settingsSources(flags.cwd, { isSafe: flags.safe }));
    const [database, servers, sandboxSupport, code, snippets] = await Promise.all([
      reportDatabase(flags.cwd, { isSafe: flags.safe }),
      reportServers(agent.skills, flags.cwd, { isSafe: flags.safe }),
      reportSandboxSupport(),
      reportCode(settings.sandbox ?? 'auto'),
      reportSnippets(),
    ]);
    const store = reportStore(flags.cwd, { isSafe: flags.safe });
    const find = (): readonly Repair[] =>
      findRepairs(ownFolders(flags.cwd, { isSafe: flags.safe }), agent.skills.list());
    const fixes = own['fix'] === true ? fixAll(find(), flags, terminal) : undefined;
    const checks = examine({
      agent,
      models,
      store,
      database,
      servers,
      sandboxSupport,
      code,
      snippets,
      settings,
      repairs: find(),
      book: ownTrustBook(),
    });
    const ok = checks.every((check) => check.status !== 'fail');
    if (flags.json) {
      const unavailable = agent.skills.list().filter((skill) => skill.status === 'unavailable');
      printJson(terminal, {
        ok,
        ...optional('fixes', fixes),
        checks: checks.map(({ details, ...check }) => ({
          ...check,
          details: details.map((line) => withPasteable(line, terminal)),
        })),
        servers: servers.servers,
        roots: agent.roots(),
        unavailable: unavailable.map((skill) => skillJson(skill)),
        diagnostics: agent.skills.diagnostics().map(issueJson),
      });
    } else for (const check of checks) terminal.out(fitRows(reportOn(check, terminal), terminal));
    return ok ? 0 : 3;
  },
};

/** Attempts each repair, and prints a line before and after it. */
function fixAll(repairs: readonly Repair[], { json }: CommonFlags, terminal: Terminal): readonly FixResult[] {
  const say = (text: string): void => (json ? undefined : terminal.out(text));
  if (repairs.length === 0) say('Nothing to fix.\n\n');
  const results = repairs.map((repair) => {
    say(`fix    ${oneLine(repair.what)}\n`);
    const { status, result, ...rest } = fix(repair);
    const mark = status === 'fixed' ? paint('fixed', 'green', terminal) : paint('FAILED', 'red', terminal);
    say(`${mark}${status === 'fixed' ? ' ' : ''} ${oneLine(result)}\n`);
    return { ...rest, status, result };
  });
  if (results.length > 0) say('\n');
  return results;
}

const marks = { ok: ['ok  ', 'green'], warn: ['warn', 'yellow'], fail: ['FAIL', 'red'] } as const;

/** The maximum number of details per check. Any others are only counted. */
const most = 15;

function reportOn(check: CheckResult, terminal: Terminal): string {
  const [mark, color] = marks[check.status];
  const rest = check.details.length - most;
  const below = [
    ...check.details.slice(0, most),
    ...(rest > 0 ? [`… and ${rest} more; --json shows all`] : []),
    ...(check.hint === undefined ? [] : [`→ ${check.hint}`]),
  ];
  const head = pasteableRows(`      ${check.id}: ${check.summary}`, terminal).slice(mark.length + 2);
  const lines = below.map((line) => `${pasteableRows(`      ${oneLine(line)}`, terminal)}\n`);
  return `${paint(mark, color, terminal)}  ${head}\n${lines.join('')}`;
}
