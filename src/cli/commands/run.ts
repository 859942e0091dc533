import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { AgentError } from '../../core/error.ts';
import { optional } from '../../core/optional.ts';
import type { Command, Invocation } from '../command.ts';
import { givenInput } from '../given-input.ts';
import { limitFlags, limitFlagsHelp, limitsOf } from '../limit-flags.ts';
import { chosenModels, modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { placeOf, prepareStore } from '../run-store.ts';
import { mustStream } from '../running/must-stream.ts';
import { seeThrough } from '../running/see-through.ts';
import { slashCommand, type SlashCommand } from '../slash-command.ts';
import { textFlag } from '../text-flag.ts';

const options = {
  skill: { type: 'string' },
  'args-json': { type: 'string' },
  stream: { type: 'boolean' },
  session: { type: 'string' },
  ...limitFlags,
  ...modelFlags,
} as const;

/** `skilled run`: calls one skill and prints its answer; exit 4 when it waits for a person. */
export const run: Command = {
  summary: 'Run a skill and print its answer.',
  usage: `Usage: skilled run /<skill> [words... | json | --<key> <value>...] [flags]
       skilled run --skill <skill> [...]
       skilled -p /<skill> [...]

The words are what the skill is given; - reads them from stdin, @<file> from a file.
They may stand in one pair of quotes with the name: skilled run "/triage 42 urgent".
A single word that starts with { and is JSON is taken as JSON. Flags that are not
listed here are parts of the input, with the types that "skilled show" tells of.

  skilled run /ask-user --question "Which way?" --options '["left", "right"]'

  --skill <skill>       the skill; all words are input then
  --args-json <json>    the whole input as JSON
  --stream              with --json: every event as a line of JSON, as it happens
  --session <id>        whose memory it uses
${limitFlagsHelp}
${modelFlagsHelp}`,
  options,
  mostWords: Infinity,
  takesOtherFlags: true,
  async run(invocation) {
    const { flags, own } = invocation;
    mustStream(invocation);
    const limits = limitsOf(own);
    const { where: store, retentionDays } = placeOf(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      ...optional('retentionDays', retentionDays),
    });
    const { name, words } = await chosen(agent, invocation);
    const input = await givenInput(agent, agent.skills.resolve(name), words, { ...invocation, options });
    prepareStore(invocation);
    const request = {
      skill: name,
      ...optional('input', input),
      ...optional('session', textFlag(own, 'session')),
      ...(limits.steps === undefined ? {} : { wanted: { maxTicks: limits.steps } }),
    };
    const begin = (signal: AbortSignal): ReturnType<RecursiveSkilledAgent['run']> =>
      agent.run({ ...request, limits, signal });
    return await seeThrough({ agent, invocation, begin });
  },
};

/** The skill that the command line names, and the words that are left for it. */
async function chosen(agent: RecursiveSkilledAgent, { own, words }: Invocation): Promise<SlashCommand> {
  const named = textFlag(own, 'skill');
  if (named !== undefined) return { name: named.replace(/^\//, ''), words };
  const slash = slashCommand(words);
  if (slash !== undefined) return forPeople(agent, slash);
  const fault =
    words.join('').trim() === ''
      ? 'There is nothing to run.'
      : 'Choosing a skill for a prompt is not part of this version.';
  throw new AgentError('usage.bad-input', fault, { hint: await hintFor(agent, words) });
}

/** A slash command is for people; whoever names a skill with a flag may call any. */
function forPeople(agent: RecursiveSkilledAgent, slash: SlashCommand): SlashCommand {
  const { name, card } = agent.skills.resolve(slash.name);
  if (card.userInvocable !== false) return slash;
  throw new AgentError('usage.bad-input', `"${name}" says of itself that people do not call it.`, {
    hint: `To run it all the same: skilled run --skill ${slash.name}`,
  });
}

/** Names the skill whose slash was forgotten, else those that fit the prompt best. */
async function hintFor(agent: RecursiveSkilledAgent, words: readonly string[]): Promise<string> {
  const [first = ''] = words;
  const forgotten = first === '' ? undefined : agent.skills.get(first);
  if (forgotten !== undefined) return `Put a slash before its name: skilled run /${forgotten.name}`;
  const prompt = words.join(' ').trim();
  const { candidates } =
    prompt === '' ? { candidates: [] } : await agent.skills.rank(prompt, { limit: 3, learn: false });
  const near = candidates.map(({ name }) => `/${name}`).join(', ');
  return `Name one: skilled run /<skill>${near === '' ? '; "skilled list" shows them.' : `; nearest: ${near}.`}`;
}
