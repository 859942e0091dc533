import { examine } from '../../doctor/examine.ts';
import type { Command } from '../command.ts';
import { openAgent } from '../open-agent.ts';
import { issueJson, printJson, skillJson } from '../output/json.ts';

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** `skilled doctor`: every check with its details, exit 3 when one fails. */
export const doctor: Command = {
  summary: 'Examine the set-up: roots, skills, eligibility, findings.',
  usage: 'Usage: skilled doctor [--json]',
  async run({ flags, terminal }) {
    const agent = await openAgent(flags);
    const checks = examine(agent);
    const ok = checks.every((check) => check.status !== 'fail');
    if (flags.json) {
      const unavailable = agent.skills.list().filter((skill) => skill.status === 'unavailable');
      printJson(terminal, {
        ok,
        checks,
        roots: agent.roots(),
        unavailable: unavailable.map((skill) => skillJson(skill, undefined)),
        diagnostics: agent.skills.diagnostics().map((issue) => issueJson(issue)),
      });
    } else {
      for (const check of checks) {
        terminal.out(`${marks[check.status]}  ${check.id}: ${check.summary}\n`);
        for (const detail of check.details) terminal.out(`      ${detail}\n`);
        if (check.hint !== undefined) terminal.out(`      → ${check.hint}\n`);
      }
    }
    await agent.shutdown();
    return ok ? 0 : 3;
  },
};
