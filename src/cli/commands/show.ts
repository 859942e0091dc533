import { AgentError, isAgentError } from '../../core/error.ts';
import { normaliseName } from '../../core/names.ts';
import type { Skill } from '../../core/skill.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { describeIssue } from '../../doctor/diagnostics.ts';
import type { Command } from '../command.ts';
import { openAgent } from '../open-agent.ts';
import { issueJson, printJson, skillJson } from '../output/json.ts';
import { statusText } from '../output/status.ts';
import { oneLine } from '../output/table.ts';

/** `skilled show`: all that is known of one skill, its digest included. */
export const show: Command = {
  summary: 'Show one skill: card, files, digest, findings.',
  usage: 'Usage: skilled show <skill> [--json]',
  async run({ flags, words, terminal }) {
    const [name, ...more] = words;
    if (name === undefined || more.length > 0) {
      throw new AgentError('usage.bad-input', 'Name one skill.', { hint: 'skilled show <skill>' });
    }
    const agent = await openAgent(flags);
    const skill = find(agent, name);
    const digest = agent.skills.digest(skill);
    const { description: _, ...card } = { ...skill.card };
    if (flags.json) {
      printJson(terminal, { ok: true, skill: { ...skillJson(skill, digest), ...card, issues: skill.issues.map((issue) => issueJson(issue)) } });
    } else terminal.out(describe(skill, digest, agent));
    await agent.shutdown();
    return 0;
  },
};

/** By any of its names; a descriptor that cannot be used is shown too, so that its findings can be read. */
function find(agent: RecursiveSkilledAgent, name: string): Skill {
  try {
    return agent.skills.resolve(name);
  } catch (thrown) {
    const invalid = agent.skills.list().find((skill) => skill.status === 'invalid' && skill.name === normaliseName(name));
    if (invalid === undefined || !isAgentError(thrown)) throw thrown;
    return invalid;
  }
}

function describe(skill: Skill, digest: string | undefined, agent: RecursiveSkilledAgent): string {
  const { card } = skill;
  const label = agent.families.find((family) => family.id === skill.family)?.label ?? skill.family;
  const lines: [string, string | undefined][] = [
    ['family', `${label} (${skill.family})`],
    ['source', skill.source],
    ['status', statusText(skill)],
    ['shadowed by', skill.shadowedBy],
    ['file', skill.file === '' ? undefined : skill.file],
    ['digest', digest],
    ['aliases', skill.aliases.map((alias) => oneLine(alias)).join(', ')],
    ['when to use', card.whenToUse === undefined ? undefined : oneLine(card.whenToUse)],
    ['arguments', card.argumentNames?.join(' ') ?? card.argumentHint],
    ['allowed tools', card.allowedTools?.join(' ')],
    ['may call', card.allowedSkills?.join(', ')],
    ['paths', card.paths?.join(' ')],
    ['model may use it', card.modelInvocable === false ? 'no' : undefined],
    ['input', card.input === undefined ? undefined : JSON.stringify(card.input)],
    ['output', card.output === undefined ? undefined : JSON.stringify(card.output)],
    ...(skill.missing ?? []).map((missing): [string, string] => ['missing', missing.hint]),
  ];
  const shown = lines.filter((line): line is [string, string] => line[1] !== undefined && line[1] !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  const findings = skill.issues.map((issue) => `  ${describeIssue(issue)}\n`).join('');
  return `${oneLine(skill.name)}\n${oneLine(card.description)}\n\n${shown.map(([key, value]) => `${key.padEnd(width)}  ${value}\n`).join('')}${findings === '' ? '' : `\nFindings:\n${findings}`}`;
}
