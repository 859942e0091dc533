import { defaultSession, optional, type RunRequest } from '../../../core/index.ts';
import {
  chosenModels,
  limitFlags,
  limitFlagsHelp,
  limitsOf,
  modelFlags,
  modelFlagsHelp,
  mustStream,
  oneLine,
  openAgent,
  printJson,
  roleFlags,
  roleFlagsHelp,
  rolesOf,
  textFlag,
  type CliCommand,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { findAnswered } from '../../runs/preconditions.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { awaitPreparations } from '../../runs/preparations.ts';
import { conclude, printOutcome } from '../../runs/print-outcome.ts';
import { existingStore, placeOf, prepareStore } from '../../runs/run-store.ts';
import { watchRun } from '../../runs/watch-run.ts';
import { requestOf } from './run-request.ts';

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
export const run: CliCommand = {
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
    using interrupt = onInterrupt();
    const { signal } = interrupt;
    if (asked.skill === undefined && known === undefined) await awaitPreparations(agent, invocation, signal);
    const started = agent.run({ ...asked, ...bounds, signal });
    const instead = (prompt: string): Promise<void> => runInBetween({ agent, invocation, bounds }, prompt);
    return await printOutcome({
      agent,
      invocation,
      interrupt,
      run: started,
      instead,
      ...optional('known', known),
    });
  },
};

/** Whether the prompt only says `/cancel`. */
function isCancel({ own, words, given }: Invocation): boolean {
  const isAlone = own['skill'] === undefined && own['args-json'] === undefined && given.length === 0;
  return isAlone && words.length === 1 && words[0]?.trim() === '/cancel';
}

/**
 * Says which question a prompt answers, if one waits in its session; resolves with the place of the last event that the
 * run of that question had before. Refuses what could not be gone on with here.
 */
async function announceAnswer(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  { skill, prompt }: Pick<RunRequest, 'skill' | 'prompt'>,
): Promise<number | undefined> {
  const { flags, own, terminal } = invocation;
  if (skill !== undefined || existingStore(flags) === undefined) return undefined;
  const answered = await findAnswered(agent, invocation, textFlag(own, 'session'), prompt);
  if (answered === undefined) return undefined;
  const { run, question } = answered;
  const [first = ''] = question.text.trim().split('\n');
  if (!flags.quiet) terminal.err(`Answers a question of run ${run.id}: ${oneLine(first)}\n`);
  return run.seq;
}

/** Drops the question that the next prompt of a session would answer, and its run with it. */
async function cancelQuestion(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  session = defaultSession,
): Promise<number> {
  const waiting = existingStore(flags) === undefined ? undefined : await agent.runs.waitingIn(session);
  const cancelled = waiting === undefined ? [] : [waiting.runId];
  for (const id of cancelled) await agent.runs.cancel(id, 'Its question was dropped.');
  if (flags.json) printJson(terminal, { ok: true, cancelled });
  else if (waiting === undefined && !flags.quiet)
    terminal.err(`Nothing waits for an answer in the session ${oneLine(session)}.\n`);
  else for (const id of cancelled) terminal.out(`cancelled ${id}\n`);
  return 0;
}

/** What a request in between has in common with the one whose question waits. */
interface Between {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly bounds: Omit<RunRequest, 'skill' | 'input' | 'prompt'>;
}

/** Carries out a request that was typed while a question waits, and prints what it came to; who asks is asked again afterwards. */
export async function runInBetween(between: Between, prompt: string): Promise<void> {
  const { agent, invocation, bounds } = between;
  using interrupt = onInterrupt();
  const { signal } = interrupt;
  await awaitPreparations(agent, invocation, signal);
  const seen = await watchRun({
    agent,
    invocation,
    interrupt,
    run: agent.run({ prompt, ...bounds, signal }),
    instead: (words) => runInBetween(between, words),
  });
  const { stillOpen: _told, ...result } = seen.result;
  conclude({ ...seen, result }, invocation);
}
