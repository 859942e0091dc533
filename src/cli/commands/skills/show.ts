import { callGraphOf } from '../../../agent/call-graph.ts';
import { toolReachOf } from '../../../agent/tool-reach.ts';
import { installedSkills } from '../../../config/install.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import {
  AgentError,
  isAgentError,
  isFromServer,
  normaliseName,
  optional,
  toErrorData,
  type Issue,
  type GeneratedCode,
  type Skill,
} from '../../../core/index.ts';
import { describeIssue } from '../../../doctor/report.ts';
import { reachedName, skillEffect, trustOf, type SkillTrust } from '../../../doctor/trust.ts';
import {
  fitRows,
  generatedCodeJson,
  generatedCodeLines,
  issueJson,
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  schemaLines,
  skillJson,
  sourceText,
  statusColors,
  statusText,
  unknownSkillIssues,
  wrapWords,
  type CliCommand,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { originJson, originText } from '../install/origin.ts';
import { showVersion } from './show-version.ts';
import { boundText, calleeText, callerText, firstOf, focusOf, toolText } from '../graph/focus.ts';

/** `skilled show`: prints everything about one skill, including its digest. */
export const show: CliCommand = {
  summary: 'Show one skill: card, files, digest, issues.',
  usage: `Usage: skilled show <skill> [--at <run>] [--json]

  skilled show ask-user

  --at  show which version a run used; "last" is the newest run`,
  options: { at: { type: 'string' } },
  maxArgs: 1,
  async run(invocation) {
    const { flags, own, args, terminal } = invocation;
    const [name] = args;
    if (name === undefined)
      throw new AgentError('usage.bad-input', 'Missing skill name.', {
        hint: 'Run `skilled show <skill>`.',
      });
    if (typeof own['at'] === 'string') return showVersion(invocation, name, own['at']);
    await using agent = await openAgent(flags);
    const skill = find(agent, name);
    const { digest, issues } = examined(agent, skill);
    const state = trustOf(agent, ownTrustBook(), skill);
    const generated = agent.inspect(skill);
    const origin = installedSkills(flags.cwd).get(skill.dir);
    const { description: _, ...card } = skill.card;
    if (flags.json) {
      printJson(terminal, {
        ok: true,
        skill: {
          ...skillJson(skill, digest, state?.trust),
          ...card,
          issues: issues.map(issueJson),
          ...optional('origin', originJson(origin)),
          ...(generated === undefined ? {} : { made: generatedCodeJson(generated) }),
        },
      });
    } else {
      const trust = trustText(skill, state, reachedName(agent, skill));
      const found = { digest, issues, trust, generated, origin };
      terminal.out(fitRows(describe(skill, found, agent, terminal), terminal));
    }
    return 0;
  },
};

/** Finds a skill by any of its names. Also finds invalid descriptors, so that their issues can be shown. */
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

/** Returns a skill's digest and issues. Unreadable files are reported as an issue. */
function examined(agent: RecursiveSkilledAgent, skill: Skill): { digest?: string; issues: readonly Issue[] } {
  const found = [...skill.issues, ...unknownSkillIssues(agent.skills.diagnostics(), skill.file)];
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
  readonly generated: GeneratedCode | undefined;
  readonly origin: Parameters<typeof originJson>[0];
}

/** Describes a skill's trust state, or returns undefined if the skill does not need trust. */
function trustText(
  { source, codeDefinition }: Skill,
  state: SkillTrust | undefined,
  name: string,
): string | undefined {
  if (state?.fault !== undefined) return `cannot be granted: its folder ${state.fault}`;
  const before = isFromServer({ source, isDefinedInCode: codeDefinition !== undefined })
    ? 'it is used'
    : 'its code runs';
  return state?.trust === 'needed'
    ? `needed before ${before}: \`skilled trust grant ${name}\``
    : state?.trust;
}

const maxCallees = 5;

/**
 * Describes a skill's callees and callers in a few words; `skilled graph` shows all of them. For a skill that
 * is not ready, describes only its list of allowed skills.
 */
function callsOf(
  skill: Skill,
  agent: RecursiveSkilledAgent,
): {
  readonly mayCall?: string | undefined;
  readonly calledBy?: string;
  readonly tools?: string | undefined;
} {
  const registry = agent.skills.snapshot();
  const focus = focusOf(agent, callGraphOf(registry), skill);
  if (focus === undefined) return { mayCall: skill.card.allowedSkills?.join(', ') };
  const { tools } = toolReachOf(registry, skill);
  const isLimited =
    skill.card.toolBound !== undefined || tools.some(({ limitedBy }) => limitedBy !== undefined);
  const { nodes, edges } = focus.below;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const callees = edges
    .filter(({ from }) => from === focus.skill.name)
    .map((edge) => calleeText(edge, byName));
  return {
    mayCall: callees.length === 0 ? 'nothing' : firstOf(callees, maxCallees),
    calledBy: callerText(focus),
    tools: isLimited ? toolText(tools) : undefined,
  };
}

const leastColumns = 60; // On a narrower screen, values do not have a column of their own.

const forkLabels = {
  awaited: 'in its own context',
  background: 'in its own context, in the background',
} as const;

function describe(
  skill: Skill,
  { digest, issues, trust, generated, origin }: Found,
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
    ['installed from', originText(origin)],
    ['locked', origin === undefined ? undefined : origin.digest === digest ? 'yes' : `as ${origin.digest}`],
    ['digest', digest],
    ['trust', trust],
    ['does', skillEffect(agent, skill)],
    ['aliases', skill.aliases.join(', ')],
    ['when to use', card.whenToUse],
    ['arguments', card.argumentNames?.join(' ') ?? card.argumentHint],
    ['allowed tools', card.allowedTools?.join(' ')],
    ['tools below', card.toolBound && `${boundText(card.toolBound.rules)} (line ${card.toolBound.line})`],
    ['disallowed tools', card.disallowedTools?.join(' ')],
    ['other tools', card.enforceTools === true ? 'none while it is loaded' : undefined],
    ['works', card.forks === undefined ? undefined : forkLabels[card.forks]],
    ['may call', calls.mayCall],
    ['called by', calls.calledBy],
    ['tools in reach', calls.tools],
    ['paths', card.paths?.join(' ')],
    ['model may use it', card.modelInvocable === false ? 'no' : undefined],
    ['people see it', card.userInvocable === false ? 'no' : undefined],
    ['license', card.license],
    ['compatibility', card.compatibility],
  ];
  const shown = lines
    .map(([key, value = '']) => [key, oneLine(value)] as const)
    .filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  const screen = terminal.width ?? Infinity;
  const isNarrow = screen < leastColumns;
  const facts = shown.map(([key, value]) => {
    const head = `${isNarrow ? key : key.padEnd(width)}  `;
    const indent = isNarrow ? '    ' : ' '.repeat(head.length);
    // A skill's author can control every value except the trust state.
    if (key === 'trust') return `${head}${pasteable(value, terminal)}\n`;
    const text = wrapWords(`${head}${value}`, screen, indent).join('\n');
    const painted = paint(value, statusColors[skill.status], terminal);
    return `${key === 'status' ? text.replace(value, () => painted) : text}\n`;
  });
  const schemas = Object.entries({ Input: card.input, Output: card.output }).flatMap(([name, schema]) =>
    schema === undefined ? [] : [`${name}:\n`, ...schemaLines(schema, screen).map((line) => `${line}\n`)],
  );
  const issueLines = issues.map((issue) => `  ${pasteable(oneLine(describeIssue(issue)), terminal)}\n`);
  const title = paint(oneLine(skill.name), 'bold', terminal);
  const description = wrapWords(oneLine(card.description), screen);
  const head = [title, ...description].filter((line) => line !== '').join('\n');
  const code =
    generated === undefined
      ? []
      : generatedCodeLines(generated).map((line) => `${pasteable(line, terminal)}\n`);
  const below = [schemas, code, issueLines.length === 0 ? [] : ['Issues:\n', ...issueLines]];
  const sections = below.filter((lines) => lines.length > 0).map((lines) => `\n${lines.join('')}`);
  return `${head}\n\n${facts.join('')}${sections.join('')}`;
}
