import { homeFolder } from '../../../config/paths.ts';
import {
  fitRows,
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

/** `skilled catalog`: prints the catalog text that a model sees. Lists omitted skills on stderr. */
export const catalog: CliCommand = {
  summary: 'Show the skill catalog that a model sees.',
  usage: `Usage: skilled catalog [--prompt <text>] [--max-skills <number>] [--max-chars <number>]
                       [--max-tokens <number>] [--json]

  skilled catalog --max-skills 20 --prompt "which jobs are due?"

  --prompt <text>        the task; the best matches stay if there is not enough room
                         (- reads it from stdin, @<file> from a file)
  --max-skills <number>  default 150
  --max-chars <number>   default 30,000
  --max-tokens <number>  no limit by default`,
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
    const { result, missing } = await make(agent, { limits, home: homeFolder() }, request, invocation);
    const { text, shown, shortened, omitted, chars, tokens } = result;
    if (flags.json) {
      printJson(terminal, { ok: true, text, shown, shortened, omitted, chars, tokens });
      return 0;
    }
    if (text !== '') terminal.out(terminal.width === undefined ? text : fitRows(`${text}\n`, terminal));
    if (!flags.quiet) {
      const lines = [...summary(result, agent, invocation), ...meaningNotes(agent, { missing, request })];
      for (const line of lines) terminal.err(`${pasteable(line, terminal)}\n`);
    }
    return 0;
  },
};

type Skills = RecursiveSkilledAgent['skills'];
type Catalog = Awaited<ReturnType<Skills['catalog']>>;

/**
 * Builds the catalog. Loads the data for semantic ranking only if not all skills fit, because only then does
 * the request matter.
 */
async function make(
  agent: RecursiveSkilledAgent,
  options: NonNullable<Parameters<Skills['catalog']>[0]>,
  request: string,
  invocation: Invocation,
): Promise<{ readonly result: Catalog; readonly missing: number }> {
  const result = await agent.skills.catalog(options);
  if (request === '' || result.omitted.length === 0) return { result, missing: 0 };
  const missing = await learnMeanings(agent, invocation);
  return { result: await agent.skills.catalog({ ...options, request }), missing };
}

/** Returns notes on the catalog: its size, the omitted skills, and how to get started. */
function summary(result: Catalog, agent: RecursiveSkilledAgent, { flags }: Invocation): readonly string[] {
  const all = result.shown + result.omitted.length;
  const hasOwn = agent.skills.list().some(({ source }) => source !== 'bundled');
  const start = hasOwn ? [] : firstStep(agent, flags);
  if (all === 0)
    return hasOwn ? ['A model cannot choose any of the skills here. Run `skilled list` to see why.'] : start;
  return [sizes(result, all), ...leftOut(result), ...start];
}

function sizes({ shown, shortened, chars, tokens }: Catalog, all: number): string {
  const cut = shortened === 0 ? '' : `, ${grouped(shortened)} shortened`;
  const size = `${grouped(chars)} characters, ${grouped(tokens)} tokens`;
  return `${grouped(shown)} of ${grouped(all)} skills shown${cut}; ${size}.`;
}

const maxNames = 10;

function leftOut({ omitted, shown }: Catalog): readonly string[] {
  if (omitted.length === 0) return [];
  if (shown === 0) return ['The catalog limits leave no room for any skill.'];
  const names = oneLine(omitted.slice(0, maxNames).join(', '));
  const more = omitted.length - maxNames;
  return [`Left out: ${names}${more > 0 ? ` and ${grouped(more)} more` : ''}.`];
}

function grouped(number: number): string {
  return number.toLocaleString('en');
}
