import { AgentError, type Skill } from '../../../core/index.ts';
import {
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  readInput,
  sourceText,
  table,
  wholeNumber,
  type Cell,
  type CliCommand,
  type Column,
  type CommonFlags,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { comparisonText } from '../../../views/index.ts';
import { firstStep } from '../../skill-templates.ts';
import { learnMeanings, meaningNotes } from '../../semantic-ranking.ts';

/**
 * `skilled find`: ranks skills by how well they match a task, best first. Reports if no skill matches well.
 */
export const find: CliCommand = {
  summary: 'Rank skills by how well they match a task.',
  usage: `Usage: skilled find <words...> [--limit <number>] [--learn] [--json]

Describe the task; - reads it from stdin, @<file> from a file.

  skilled find what will the repair cost --limit 3

  --limit <number>  number of skills; default 10
  --learn           first learn the meanings of all skills, once`,
  options: { limit: { type: 'string' }, learn: { type: 'boolean' } },
  maxArgs: Infinity,
  async run(invocation) {
    const { flags, own, args, terminal } = invocation;
    const limit = wholeNumber(own, 'limit', 1);
    const learn = own['learn'] === true;
    const request = await readInput(args, flags);
    if (request === '') {
      throw new AgentError('usage.bad-input', 'Missing task to search for.', {
        hint: 'Usage: skilled find <words...>',
      });
    }
    await using agent = await openAgent(flags);
    const missing = await learnMeanings(agent, invocation, learn);
    const ranking = await agent.skills.rank(request, { limit, learn: missing === 0 });
    const found = ranking.candidates.map((candidate) => ({
      ...candidate,
      skill: agent.skills.get(candidate.name),
    }));
    if (flags.json) {
      const { abstain, by, margin, threshold } = ranking;
      const results = found.map(({ name, score, why, skill }) => ({
        name,
        ...(skill?.server === undefined ? {} : { source: skill.source, server: skill.server }),
        dir: skill?.dir ?? '',
        score,
        why,
      }));
      printJson(terminal, { ok: true, results, abstain, by, margin, threshold });
      return 0;
    }
    const say = (lines: readonly string[]): void => {
      if (!flags.quiet) terminal.err(lines.map((line) => `${pasteable(line, terminal)}\n`).join(''));
    };
    say(verdict(agent, ranking, flags));
    say(evidenceLine(ranking));
    if (found.length > 0) terminal.out(tableOf(found, ranking.threshold, terminal));
    say(meaningNotes(agent, { by: ranking.by, missing, learned: learn, request }));
    return 0;
  },
};

type Ranking = Awaited<ReturnType<RecursiveSkilledAgent['skills']['rank']>>;

type Found = Ranking['candidates'][number] & { readonly skill: Skill | undefined };

const columns: readonly Column[] = [
  { title: 'NAME', most: 40, least: 13 },
  { title: 'SCORE' },
  { title: 'WHY', most: 28, dropOrder: 1 },
  { title: 'DESCRIPTION' },
];

function tableOf(found: readonly Found[], threshold: number, terminal: Terminal): string {
  const rows = found.map(({ name, score, why, skill }): readonly Cell[] => [
    { text: oneLine(name) },
    {
      text: score.toFixed(2),
      paint: (text) => paint(text, score < threshold ? 'gray' : 'green', terminal),
    },
    { text: oneLine(why.join(', ')) },
    { text: oneLine(describe(skill)) },
  ]);
  return table(columns, rows, terminal);
}

function describe(skill: Skill | undefined): string {
  if (skill === undefined) return '';
  const { description } = skill.card;
  return skill.server === undefined ? description : `${sourceText(skill)} ${description}`;
}

/** Returns the line that compares the first candidate with the next best. */
function evidenceLine({ candidates, margin }: Ranking): readonly string[] {
  const [first, second] = candidates;
  if (first === undefined) return [];
  const next = second === undefined ? {} : { next: second.name };
  return [
    oneLine(`${first.name}: ${comparisonText({ score: first.score, margin, ...next, shared: first.why })}.`),
  ];
}

/** Returns the note to show above the table, if one is needed to explain the ranking. */
function verdict(
  agent: RecursiveSkilledAgent,
  { candidates, abstain }: Ranking,
  flags: CommonFlags,
): readonly string[] {
  const [first] = candidates;
  if (first !== undefined) {
    const next = `\`skilled show ${first.name}\` shows what the first one does.`;
    return abstain ? [`No skill matches well; these are the closest. ${next}`] : [];
  }
  const hasOwn = agent.skills.list().some(({ source }) => source !== 'bundled');
  return hasOwn ? ['No skills match. Run `skilled list` to see all skills.'] : firstStep(agent, flags);
}
