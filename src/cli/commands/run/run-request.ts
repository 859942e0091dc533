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

/**
 * Returns the user's request: a skill with its input, or a prompt to route. May read the input or prompt from
 * stdin or a file.
 */
export async function requestOf(
  agent: RecursiveSkilledAgent,
  asked: Asked,
): Promise<Pick<RunRequest, 'skill' | 'input' | 'prompt'>> {
  const named = namedIn(agent, asked);
  if (named !== undefined) {
    const { name, args } = named;
    const input = await givenInput(agent, agent.skills.resolve(name), args, asked);
    // Set a prompt even if the skill's input is given, because a conversation requires one.
    return textFlag(asked.own, 'session') === undefined
      ? { skill: name, ...(input === undefined ? {} : { input }) }
      : { skill: name, input: input ?? null, prompt: [`/${name}`, ...args].join(' ') };
  }
  const prompt = await promptIn(agent, asked);
  mustBePrompt(prompt, asked);
  const read = slashCommand([prompt], prompt.startsWith('@') ? '@' : '/');
  if (read !== undefined) mustBeForPeople(agent, read.name);
  return { prompt };
}

/**
 * Returns the skill named in the arguments, with the arguments after it, or undefined if no skill is named.
 */
function namedIn(agent: RecursiveSkilledAgent, { flags, own, args }: Asked): SlashCommand | undefined {
  const flagged = textFlag(own, 'skill');
  if (flagged !== undefined) return { name: flagged.replace(/^\//, ''), args };
  const isNamed = beginsWithName(args, flags, (name) => agent.skills.has(name));
  const found = slashCommand(args, isNamed ? '@' : '/');
  if (found !== undefined) mustBeForPeople(agent, found.name);
  return found;
}

/**
 * Reads the prompt from the arguments, stdin or a file. If the file does not exist, the error suggests a
 * skill with a similar name.
 */
async function promptIn({ skills }: RecursiveSkilledAgent, { args, flags }: Asked): Promise<string> {
  try {
    return await readInput(args, flags);
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.code !== 'usage.not-found') throw thrown;
    const names = skills.list().map(({ name }) => name);
    const [near] = nearestNames(args[0]?.slice(1) ?? '', names);
    if (near === undefined) throw thrown;
    const hint = [`Did you mean the skill @${near}?`, thrown.hint].join(' ');
    throw new AgentError(thrown.code, thrown.message, { hint, cause: thrown });
  }
}

/** Throws if people cannot call the named skill with a slash. They can still call it with `--skill`. */
function mustBeForPeople(agent: RecursiveSkilledAgent, named: string): void {
  const { name, card } = agent.skills.resolve(named);
  if (card.userInvocable !== false) return;
  throw notForPeople(name, `To run it anyway: \`skilled run --skill ${named}\``);
}

/** Throws if the prompt is missing, or if a flag applies only to a skill. */
function mustBePrompt(prompt: string, { own, given, options }: Asked): void {
  if (prompt === '')
    throw new AgentError('usage.bad-input', 'Missing prompt or skill.', {
      hint: 'Say what you would like to do, or name a skill with `skilled run /<skill>`; `skilled list` lists them.',
    });
  if (/^\/(?:\s|$)/.test(prompt))
    throw new AgentError('usage.bad-input', 'Missing name after the slash.', {
      hint: 'Name a skill with `skilled run /<skill>`; `skilled list` lists them.',
    });
  const [flag] = given;
  if (flag !== undefined)
    throw new AgentError('usage.unknown-flag', `Unknown flag --${flag.name}.`, {
      hint: `${nearFlag(flag.name, options)}Only a named skill accepts flags as input: \`skilled run /<skill>\`. Put words with dashes in quotes.`,
    });
  if (own['args-json'] !== undefined)
    throw new AgentError('usage.bad-input', '--args-json needs a skill name.', {
      hint: 'Add --skill <skill>.',
    });
}

function nearFlag(name: string, options: Asked['options']): string {
  const near = didYouMean(name, [...Object.keys(options), ...commonFlagNames]);
  return near === undefined ? '' : `${near.replace(/"(\S+)"/g, '--$1')} `;
}
