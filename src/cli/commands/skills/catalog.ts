import { homeFolder } from '../../../config/paths.ts';
import {
  oneLine,
  openAgent,
  pasteable,
  printJson,
  readInput,
  wholeNumber,
  type CliCommand,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { firstStep } from '../../skill-templates.ts';
import { learnMeanings, meaningNotes } from '../../semantic-ranking.ts';

/** `skilled catalog`: the text that a model would be given, and on stderr what it leaves out. */
export const catalog: CliCommand = {
  summary: 'Show what a model would see of the skills.',
  usage: `Usage: skilled catalog [--prompt <text>] [--max-skills <number>] [--max-chars <number>]
                       [--max-tokens <number>] [--json]

  skilled catalog --max-skills 20 --prompt "which jobs are due?"

  --prompt <text>        what is asked for; decides who stays when there is not enough room
                         (- reads it from stdin, @<file> from a file)
  --max-skills <number>  150 unless given
  --max-chars <number>   30,000 unless given
  --max-tokens <number>  none unless given`,
  options: {
    prompt: { type: 'string' },
    'max-chars': { type: 'string' },
    'max-skills': { type: 'string' },
    'max-tokens': { type: 'string' },
  },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    const limits = {
      maxSkills: wholeNumber(own, 'max-skills'),
      maxChars: wholeNumber(own, 'max-chars'),
      maxTokens: wholeNumber(own, 'max-tokens'),
    };
    const request = await readInput([own['prompt'] ?? ''].map(String), flags);
    await using agent = await openAgent(flags);
    const { made, missing } = await make(agent, { limits, home: homeFolder() }, request, invocation);
    const { text, shown, shortened, omitted, chars, tokens } = made;
    if (flags.json) {
      printJson(terminal, { ok: true, text, shown, shortened, omitted, chars, tokens });
      return 0;
    }
    if (text !== '') terminal.out(terminal.width === undefined ? text : `${text}\n`);
    if (!flags.quiet) {
      const lines = [...summary(made, agent, invocation), ...meaningNotes(agent, { missing, request })];
      for (const line of lines) terminal.err(`${pasteable(line, terminal)}\n`);
    }
    return 0;
  },
};

type Skills = RecursiveSkilledAgent['skills'];
type Catalog = Awaited<ReturnType<Skills['catalog']>>;

/** A request decides nothing while all skills fit, so its meaning is only looked for when they do not. */
async function make(
  agent: RecursiveSkilledAgent,
  options: NonNullable<Parameters<Skills['catalog']>[0]>,
  request: string,
  invocation: Invocation,
): Promise<{ readonly made: Catalog; readonly missing: number }> {
  const made = await agent.skills.catalog(options);
  if (request === '' || made.omitted.length === 0) return { made, missing: 0 };
  const missing = await learnMeanings(agent, invocation);
  return { made: await agent.skills.catalog({ ...options, request }), missing };
}

/** What to say beside the text: how much of everything it is, what it leaves out, how to start. */
function summary(made: Catalog, agent: RecursiveSkilledAgent, { flags }: Invocation): readonly string[] {
  const all = made.shown + made.omitted.length;
  const hasOwn = agent.skills.list().some(({ source }) => source !== 'bundled');
  const start = hasOwn ? [] : firstStep(agent, flags);
  if (all === 0)
    return hasOwn ? ['There is no skill here that a model may choose. `skilled list` shows why.'] : start;
  return [sizes(made, all), ...leftOut(made), ...start];
}

function sizes({ shown, shortened, chars, tokens }: Catalog, all: number): string {
  const cut = shortened === 0 ? '' : `, ${grouped(shortened)} shortened`;
  const size = `${grouped(chars)} characters, ${grouped(tokens)} tokens`;
  return `${grouped(shown)} of ${grouped(all)} skills shown${cut}; ${size}.`;
}

const mostNames = 10;

function leftOut({ omitted, shown }: Catalog): readonly string[] {
  if (omitted.length === 0) return [];
  if (shown === 0) return ['The limits leave no room for a single skill.'];
  const names = oneLine(omitted.slice(0, mostNames).join(', '));
  const more = omitted.length - mostNames;
  return [`Left out: ${names}${more > 0 ? ` and ${grouped(more)} more` : ''}.`];
}

function grouped(number: number): string {
  return number.toLocaleString('en');
}
