import {
  AgentError,
  didYouMean,
  isAgentError,
  nearestNames,
  notForPeople,
  type RunRequest,
} from '../../../core/index.ts';
import {
  beginsWithName,
  commonFlagNames,
  givenInput,
  readInput,
  slashCommand,
  textFlag,
  type CliCommand,
  type Invocation,
  type SlashCommand,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';

type Asked = Invocation & Required<Pick<CliCommand, 'options'>>;

/** What a command line asks for: a skill with its input, or a prompt that is to find one. Reads stdin or a file where the words say so. */
export async function requestOf(
  agent: RecursiveSkilledAgent,
  asked: Asked,
): Promise<Pick<RunRequest, 'skill' | 'input' | 'prompt'>> {
  const named = namedIn(agent, asked);
  if (named !== undefined) {
    const { name, words } = named;
    const input = await givenInput(agent, agent.skills.resolve(name), words, asked);
    // As a turn of a conversation it has words of its own, which are not its input.
    return textFlag(asked.own, 'session') === undefined
      ? { skill: name, ...(input === undefined ? {} : { input }) }
      : { skill: name, input: input ?? null, prompt: [`/${name}`, ...words].join(' ') };
  }
  const prompt = await promptIn(agent, asked);
  mustBePrompt(prompt, asked);
  const read = slashCommand([prompt], prompt.startsWith('@') ? '@' : '/');
  if (read !== undefined) mustBeForPeople(agent, read.name);
  return { prompt };
}

/** The skill that the command line names, and the words that are left for it. */
function namedIn(agent: RecursiveSkilledAgent, { flags, own, words }: Asked): SlashCommand | undefined {
  const flagged = textFlag(own, 'skill');
  if (flagged !== undefined) return { name: flagged.replace(/^\//, ''), words };
  const isNamed = beginsWithName(words, flags, (name) => agent.skills.has(name));
  const found = slashCommand(words, isNamed ? '@' : '/');
  if (found !== undefined) mustBeForPeople(agent, found.name);
  return found;
}

/** What the words say, wherever they lead; a file that is not there may be a skill whose name was mistyped. */
async function promptIn({ skills }: RecursiveSkilledAgent, { words, flags }: Asked): Promise<string> {
  try {
    return await readInput(words, flags);
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.code !== 'usage.not-found') throw thrown;
    const names = skills.list().map(({ name }) => name);
    const [near] = nearestNames(words[0]?.slice(1) ?? '', names);
    if (near === undefined) throw thrown;
    const hint = [`Did you mean the skill @${near}?`, thrown.hint].join(' ');
    throw new AgentError(thrown.code, thrown.message, { hint, cause: thrown });
  }
}

/** A slash command is for people; whoever names a skill with a flag may call any. */
function mustBeForPeople(agent: RecursiveSkilledAgent, named: string): void {
  const { name, card } = agent.skills.resolve(named);
  if (card.userInvocable !== false) return;
  throw notForPeople(name, `To run it all the same: \`skilled run --skill ${named}\``);
}

/** Whatever is not words belongs to a skill. */
function mustBePrompt(prompt: string, { own, given, options }: Asked): void {
  if (prompt === '')
    throw new AgentError('usage.bad-input', 'There is nothing to run.', {
      hint: 'Say what is to be done, or name a skill with `skilled run /<skill>`; `skilled list` shows them.',
    });
  if (/^\/(?:\s|$)/.test(prompt))
    throw new AgentError('usage.bad-input', 'Behind the slash there is no name.', {
      hint: 'Name a skill with `skilled run /<skill>`; `skilled list` shows them.',
    });
  const [flag] = given;
  if (flag !== undefined)
    throw new AgentError('usage.unknown-flag', `There is no flag --${flag.name}.`, {
      hint: `${nearFlag(flag.name, options)}Only a skill that is named takes flags as input: \`skilled run /<skill>\`. Put words with dashes in quotes.`,
    });
  if (own['args-json'] !== undefined)
    throw new AgentError('usage.bad-input', '--args-json is the input of a skill, and none is named.', {
      hint: 'Name it: --skill <skill>.',
    });
}

function nearFlag(name: string, options: Asked['options']): string {
  const near = didYouMean(name, [...Object.keys(options), ...commonFlagNames]);
  return near === undefined ? '' : `${near.replace(/"(\S+)"/g, '--$1')} `;
}
