import { callGraphOf } from '../../../agent/call-graph.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import {
  AgentError,
  isAgentError,
  isFromServer,
  normaliseName,
  toErrorData,
  type Issue,
  type Made,
  type Skill,
} from '../../../core/index.ts';
import { describeIssue } from '../../../doctor/report.ts';
import { reachedName, skillEffect, trustOf, type SkillTrust } from '../../../doctor/trust.ts';
import {
  issueJson,
  listFindings,
  madeJson,
  madeLines,
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  skillJson,
  sourceText,
  statusColors,
  statusText,
  type CliCommand,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { calleeText, callerText, firstOf, focusOf } from '../graph/focus.ts';

/** `skilled show`: all that is known of one skill, its digest included. */
export const show: CliCommand = {
  summary: 'Show one skill: card, files, digest, findings.',
  usage: `Usage: skilled show <skill> [--json]

  skilled show ask-user`,
  mostWords: 1,
  async run({ flags, words, terminal }) {
    const [name] = words;
    if (name === undefined)
      throw new AgentError('usage.bad-input', 'Name one skill.', { hint: 'Write `skilled show <skill>`.' });
    await using agent = await openAgent(flags);
    const skill = find(agent, name);
    const { digest, issues } = examined(agent, skill);
    const state = trustOf(agent, ownTrustBook(), skill);
    const made = agent.inspect(skill);
    const { description: _, ...card } = skill.card;
    if (flags.json) {
      printJson(terminal, {
        ok: true,
        skill: {
          ...skillJson(skill, digest, state?.trust),
          ...card,
          issues: issues.map(issueJson),
          ...(made === undefined ? {} : { made: madeJson(made) }),
        },
      });
    } else {
      const trust = trustText(skill, state, reachedName(agent, skill));
      const found = { digest, issues, trust, made };
      terminal.out(describe(skill, found, agent, terminal));
    }
    return 0;
  },
};

/** By any of its names; a descriptor that cannot be used is shown too, so that its findings can be read. */
function find(agent: RecursiveSkilledAgent, name: string): Skill {
  try {
    return agent.skills.resolve(name);
  } catch (thrown) {
    const invalid = agent.skills
      .list()
      .find((skill) => skill.status === 'invalid' && skill.name === normaliseName(name));
    if (invalid === undefined || !isAgentError(thrown)) throw thrown;
    return invalid;
  }
}

/** Files beside the descriptor may be unreadable; then the rest is shown all the same. */
function examined(agent: RecursiveSkilledAgent, skill: Skill): { digest?: string; issues: readonly Issue[] } {
  const found = [...skill.issues, ...listFindings(agent.skills.diagnostics(), skill.file)];
  try {
    const digest = agent.skills.digest(skill);
    return digest === undefined ? { issues: found } : { digest, issues: found };
  } catch (thrown) {
    const { message } = toErrorData(thrown);
    return {
      issues: [...found, { level: 'warning', code: 'digest.unreadable', message, file: skill.dir }],
    };
  }
}

interface Found {
  readonly digest: string | undefined;
  readonly issues: readonly Issue[];
  readonly trust: string | undefined;
  readonly made: Made | undefined;
}

/** Nothing for a skill that needs none. */
function trustText({ source, made }: Skill, state: SkillTrust | undefined, name: string): string | undefined {
  if (state?.fault !== undefined) return `cannot be given: its folder ${state.fault}`;
  const before = isFromServer({ source, made: made !== undefined }) ? 'it is used' : 'its code runs';
  return state?.trust === 'needed'
    ? `needed before ${before}: \`skilled trust grant ${name}\``
    : state?.trust;
}

const mostCallees = 5;

/** In a few words; "skilled graph" tells the rest. Of a skill that is not ready only its list is known. */
function callsOf(
  skill: Skill,
  agent: RecursiveSkilledAgent,
): { readonly mayCall?: string | undefined; readonly calledBy?: string } {
  const focus = focusOf(agent, callGraphOf(agent.skills.snapshot()), skill);
  if (focus === undefined) return { mayCall: skill.card.allowedSkills?.join(', ') };
  const { nodes, edges } = focus.below;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const callees = edges
    .filter(({ from }) => from === focus.skill.name)
    .map((edge) => calleeText(edge, byName));
  return {
    mayCall: callees.length === 0 ? 'nothing' : firstOf(callees, mostCallees),
    calledBy: callerText(focus),
  };
}

const works = { awaited: 'on its own', background: 'on its own, in the background' } as const;

function describe(
  skill: Skill,
  { digest, issues, trust, made }: Found,
  agent: RecursiveSkilledAgent,
  terminal: Terminal,
): string {
  const { card } = skill;
  const label = agent.families.find((family) => family.id === skill.family)?.label ?? skill.family;
  const calls = callsOf(skill, agent);
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['family', `${label} (${skill.family})`],
    ['source', sourceText(skill)],
    ['status', statusText(skill)],
    ['shadowed by', skill.shadowedBy],
    ...(skill.missing ?? []).map((missing) => ['missing', missing.hint] as const),
    ['file', skill.file],
    ['digest', digest],
    ['trust', trust],
    ['does', skillEffect(agent, skill)],
    ['aliases', skill.aliases.join(', ')],
    ['when to use', card.whenToUse],
    ['arguments', card.argumentNames?.join(' ') ?? card.argumentHint],
    ['allowed tools', card.allowedTools?.join(' ')],
    ['disallowed tools', card.disallowedTools?.join(' ')],
    ['other tools', card.enforceTools === true ? 'none while it is loaded' : undefined],
    ['works', card.forks === undefined ? undefined : works[card.forks]],
    ['may call', calls.mayCall],
    ['called by', calls.calledBy],
    ['paths', card.paths?.join(' ')],
    ['model may use it', card.modelInvocable === false ? 'no' : undefined],
    ['people see it', card.userInvocable === false ? 'no' : undefined],
    ['license', card.license],
    ['compatibility', card.compatibility],
    ['input', card.input === undefined ? undefined : JSON.stringify(card.input)],
    ['output', card.output === undefined ? undefined : JSON.stringify(card.output)],
  ];
  const shown = lines
    .map(([key, value = '']) => [key, oneLine(value)] as const)
    .filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  const facts = shown.map(([key, value]) => {
    const isOurs = key === 'trust'; // everything else may come from the skill
    const shown = isOurs ? pasteable(value, terminal) : value;
    const text = key === 'status' ? paint(shown, statusColors[skill.status], terminal) : shown;
    return `${key.padEnd(width)}  ${text}\n`;
  });
  const findings = issues.map((issue) => `  ${pasteable(oneLine(describeIssue(issue)), terminal)}\n`);
  const title = paint(oneLine(skill.name), 'bold', terminal);
  const head = [title, oneLine(card.description)].filter((line) => line !== '').join('\n');
  const code = made === undefined ? [] : madeLines(made).map((line) => `${pasteable(line, terminal)}\n`);
  const below = [code, findings.length === 0 ? [] : ['Findings:\n', ...findings]];
  const sections = below.filter((lines) => lines.length > 0).map((lines) => `\n${lines.join('')}`);
  return `${head}\n\n${facts.join('')}${sections.join('')}`;
}
