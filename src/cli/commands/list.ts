import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Skill } from '../../core/skill.ts';
import type { Command, Invocation } from '../command.ts';
import { openAgent } from '../open-agent.ts';
import { issueJson, printJson, skillJson } from '../output/json.ts';
import { colored, statusText } from '../output/status.ts';
import { oneLine, table } from '../output/table.ts';

/** `skilled list`: every skill with its status; findings are counted on stderr. */
export const list: Command = {
  summary: 'List the skills that are found here.',
  usage: 'Usage: skilled list [--json] [--skills <dir>]... [--only]',
  async run(invocation) {
    const { flags, terminal } = invocation;
    const agent = await openAgent(flags);
    const skills = agent.skills.list().filter((skill) => !(flags.only && skill.source === 'bundled'));
    const issues = agent.skills.diagnostics();
    if (flags.json) {
      printJson(terminal, {
        ok: true,
        version: agent.skills.version,
        skills: skills.map((skill) => skillJson(skill, undefined)),
        diagnostics: issues.map((issue) => issueJson(issue)),
      });
    } else print(agent, skills, invocation);
    await agent.shutdown();
    return 0;
  },
};

function print(agent: RecursiveSkilledAgent, skills: readonly Skill[], { flags, terminal }: Invocation): void {
  const rows = skills.map((skill) => [
    oneLine(skill.name),
    skill.family,
    skill.source,
    colored(statusText(skill), skill.status, terminal),
    `${skill.card.userInvocable === false ? '(hidden) ' : ''}${oneLine(skill.card.description)}`,
  ]);
  if (rows.length > 0) terminal.out(table([['NAME', 'FAMILY', 'SOURCE', 'STATUS', 'DESCRIPTION'], ...rows], terminal));
  if (flags.quiet) return;
  if (skills.every((skill) => skill.source === 'bundled')) {
    const places = [...new Set(agent.roots().filter((root) => root.source !== 'bundled').map((root) => root.path))];
    terminal.err(`No skills of your own were found. Put a skill folder into one of:\n${places.slice(0, 4).map((path) => `  ${path}\n`).join('')}`);
  }
  const findings = agent.skills.diagnostics().filter((issue) => issue.level !== 'info').length;
  if (findings > 0) terminal.err(`${findings} ${findings === 1 ? 'finding' : 'findings'}; "skilled doctor" shows them.\n`);
}
