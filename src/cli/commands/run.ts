import { optional } from '../../core/collections.ts';
import type { RunHandle } from '../../core/event.ts';
import type { Command, Invocation } from '../command.ts';
import { limitFlags, limitFlagsHelp, limitsOf } from '../limit-flags.ts';
import { chosenModels, modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { roleFlags, roleFlagsHelp, rolesOf } from '../role-flags.ts';
import { placeOf, prepareStore } from '../run-store.ts';
import { mustStream } from '../running/must-stream.ts';
import { seeThrough } from '../running/see-through.ts';
import { textFlag } from '../text-flag.ts';
import { announceAnswer } from './run/announce-answer.ts';
import { cancelQuestion } from './run/cancel-question.ts';
import { requestOf } from './run/request-of.ts';
import { runInBetween } from './run/run-in-between.ts';

const options = {
  skill: { type: 'string' },
  'args-json': { type: 'string' },
  stream: { type: 'boolean' },
  session: { type: 'string' },
  ...roleFlags,
  ...limitFlags,
  ...modelFlags,
} as const;

/** `skilled run`: carries out a prompt or calls one skill, and prints the answer; exit 4 when it waits for a person. */
export const run: Command = {
  summary: 'Carry out a prompt, or run a skill, and print the answer.',
  usage: `Usage: skilled run "<prompt>" [flags]
       skilled run /<skill> [words... | json | --<key> <value>...] [flags]
       skilled run --skill <skill> [...]
       skilled -p "<prompt>", skilled -p /<skill> [...]

A prompt finds its skill by itself; "skilled trace last --why" tells how. /<skill> at
its start, or @<skill>, names one. The words are what a skill is given; - reads them
from stdin, @<file> from a file: a single word that starts with @ is a file where there
is one. They may stand in one pair of quotes with the name:
skilled run "/triage 42 urgent". A single word that starts with { and is JSON is taken
as JSON. Flags that are not listed here are parts of the input of the skill that is
named, with the types that "skilled show" tells of.

  skilled run "what changed in the readme since monday?"
  skilled run /ask-user --question "Which way?" --options '["left", "right"]'

  --skill <skill>       the skill; all words are input then
  --args-json <json>    the whole input as JSON
  --stream              with --json: every event as a line of JSON, as it happens
  --session <id>        the conversation that it belongs to: a prompt hears what was
                        said before. With and without it a prompt answers the question
                        that waits in its session; the prompt /cancel drops it
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options,
  mostWords: Infinity,
  takesOtherFlags: true,
  async run(invocation) {
    const { flags, own } = invocation;
    mustStream(invocation);
    const limits = limitsOf(own);
    const session = textFlag(own, 'session');
    const { where: store, retentionDays } = placeOf(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      ...optional('retentionDays', retentionDays),
    });
    if (isCancel(invocation)) return await cancelQuestion(agent, invocation, session);
    const asked = await requestOf(agent, { ...invocation, options });
    const known = await announceAnswer(agent, invocation, asked);
    await prepareStore(invocation);
    const bounds = {
      limits,
      ...optional('session', session),
      ...optional('roles', rolesOf(invocation)),
      ...(limits.steps === undefined ? {} : { wanted: { maxTicks: limits.steps } }),
    };
    const begin = (signal: AbortSignal): RunHandle => agent.run({ ...asked, ...bounds, signal });
    const awaitsPreparations = asked.skill === undefined && known === undefined;
    const instead = (prompt: string): Promise<void> => runInBetween({ agent, invocation, bounds }, prompt);
    return await seeThrough({
      ...{ agent, invocation, begin, awaitsPreparations, instead },
      ...optional('known', known),
    });
  },
};

/** Whether the prompt only says `/cancel`. */
function isCancel({ own, words, given }: Invocation): boolean {
  const isAlone = own['skill'] === undefined && own['args-json'] === undefined && given.length === 0;
  return isAlone && words.length === 1 && words[0]?.trim() === '/cancel';
}
