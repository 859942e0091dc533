import { reportContainment } from '../../config/containment.ts';
import { reportDatabase } from '../../config/database-report.ts';
import { machineFor } from '../../config/machine.ts';
import { ownTrustBook } from '../../config/own-trust-book.ts';
import { reportKeys } from '../../config/model-report.ts';
import { settingsSources } from '../../config/settings-sources.ts';
import { readSettings } from '../../config/settings.ts';
import { examine } from '../../doctor/examine.ts';
import type { CheckResult } from '../../doctor/check.ts';
import type { Command } from '../command.ts';
import { modelSources } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { issueJson, printJson, skillJson } from '../output/json.ts';
import { paint } from '../output/status.ts';
import { oneLine } from '../output/text.ts';
import type { Terminal } from '../terminal.ts';

/** `skilled doctor`: every check with its details, exit 3 when one fails. */
export const doctor: Command = {
  summary:
    'Examine the set-up: roots, skills, eligibility, models, records, trust, rules, containment, findings.',
  usage: 'Usage: skilled doctor [--json]',
  async run({ flags, terminal }) {
    await using agent = await openAgent(flags);
    const sources = modelSources({ flags, own: {}, lists: {} });
    const models = reportKeys(sources, machineFor(flags.safe ? undefined : flags.cwd));
    const { settings } = readSettings(settingsSources(flags.cwd, { isSafe: flags.safe }));
    const database = await reportDatabase(flags.cwd, { isSafe: flags.safe });
    const containment = await reportContainment();
    const checks = examine({ agent, models, database, containment, book: ownTrustBook(), settings });
    const ok = checks.every((check) => check.status !== 'fail');
    if (flags.json) {
      const unavailable = agent.skills.list().filter((skill) => skill.status === 'unavailable');
      printJson(terminal, {
        ok,
        checks,
        roots: agent.roots(),
        unavailable: unavailable.map((skill) => skillJson(skill)),
        diagnostics: agent.skills.diagnostics().map(issueJson),
      });
    } else for (const check of checks) terminal.out(reportOn(check, terminal));
    return ok ? 0 : 3;
  },
};

const marks = { ok: ['ok  ', 'green'], warn: ['warn', 'yellow'], fail: ['FAIL', 'red'] } as const;

/** Details beyond these are only counted. */
const most = 15;

function reportOn(check: CheckResult, terminal: Terminal): string {
  const [mark, color] = marks[check.status];
  const rest = check.details.length - most;
  const below = [
    ...check.details.slice(0, most),
    ...(rest > 0 ? [`… and ${rest} more; --json shows all`] : []),
    ...(check.hint === undefined ? [] : [`→ ${check.hint}`]),
  ];
  const head = `${paint(mark, color, terminal)}  ${check.id}: ${check.summary}\n`;
  return head + below.map((line) => `      ${oneLine(line)}\n`).join('');
}
