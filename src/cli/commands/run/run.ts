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
  userOf,
  textFlag,
  type CliCommand,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { findAnswered } from '../../runs/preconditions.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { awaitPreparations } from '../../runs/preparations.ts';
import { conclude, printOutcome } from '../../runs/print-outcome.ts';
import { existingStore, storeLocation, prepareStore } from '../../runs/run-store.ts';
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

/**
 * `skilled run`: runs a prompt or one skill and prints the answer. Exits with 4 if the run is waiting for the
 * user.
 */
export const run: CliCommand = {
  summary: 'Run a prompt or a skill and print the answer.',
  usage: `Usage: skilled run "<prompt>" [flags]
       skilled run /<skill> [words... | json | --<key> <value>...] [flags]
       skilled run --skill <skill> [...]
       skilled -p "<prompt>", skilled -p /<skill> [...]

skilled finds the right skill for a prompt; "skilled trace last --why" shows how. To name
a skill, start with /<skill> or @<skill>. The words after it are its input; - reads them
from stdin, @<file> from a file. A single argument that starts with @ is a file if that
exists. You can put the name and the words in one pair of quotes:
skilled run "/triage 42 urgent". A single argument that is a JSON object is used as JSON.
Flags that are not listed here set properties of the named skill's input, with the types
that "skilled show" prints. A misspelled flag of this list is an error. -- ends the flags.

  skilled run "what changed in the readme since monday?"
  skilled run /ask-user --question "Which way?" --options '["left", "right"]'

  --skill <skill>       the skill; all words are then its input
  --args-json <json>    the complete input as JSON
  --stream              with --json: every event as a line of JSON, as it happens
  --session <id>        the conversation: a prompt knows what was said before in it. With
                        or without this flag, a prompt answers the question that waits in
                        its session; the prompt /cancel drops the question
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options,
  maxArgs: Infinity,
  takesOtherFlags: true,
  async run(invocation) {
    const { flags, own } = invocation;
    mustStream(invocation);
    const limits = limitsOf(own);
    const session = textFlag(own, 'session');
    const { where: store, retentionDays } = storeLocation(flags);
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
      ...optional('user', userOf(invocation)),
      ...(limits.steps === undefined ? {} : { overrides: { maxTicks: limits.steps } }),
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

/** Whether the entire prompt is `/cancel`. */
function isCancel({ own, args, given }: Invocation): boolean {
  const isAlone = own['skill'] === undefined && own['args-json'] === undefined && given.length === 0;
  return isAlone && args.length === 1 && args[0]?.trim() === '/cancel';
}

/**
 * If the prompt answers a waiting question in the session, prints a notice and returns the number of the last
 * event in that question's run. Throws if the run cannot continue here.
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
  if (!flags.quiet) terminal.err(`Answering a question of run ${run.id}: ${oneLine(first)}\n`);
  return run.seq;
}

/** Cancels the question that the session's next prompt would answer, along with the run that asked it. */
async function cancelQuestion(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  session = defaultSession,
): Promise<number> {
  const waiting = existingStore(flags) === undefined ? undefined : await agent.runs.waitingIn(session);
  const cancelled = waiting === undefined ? [] : [waiting.runId];
  for (const id of cancelled) await agent.runs.cancel(id, 'The question was dropped.');
  if (flags.json) printJson(terminal, { ok: true, cancelled });
  else if (waiting === undefined && !flags.quiet)
    terminal.err(`No question is open in the session ${oneLine(session)}.\n`);
  else for (const id of cancelled) terminal.out(`cancelled ${id}\n`);
  return 0;
}

/** The data needed to run a request that the user makes while a question is waiting. */
interface Between {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly bounds: Omit<RunRequest, 'skill' | 'input' | 'prompt'>;
}

/**
 * Runs a request that the user typed instead of an answer to a waiting question, and prints the outcome. Then
 * asks the question again.
 */
export async function runInBetween(between: Between, prompt: string): Promise<void> {
  const { agent, invocation, bounds } = between;
  using interrupt = onInterrupt();
  const { signal } = interrupt;
  await awaitPreparations(agent, invocation, signal);
  const outcome = await watchRun({
    agent,
    invocation,
    interrupt,
    run: agent.run({ prompt, ...bounds, signal }),
    instead: (text) => runInBetween(between, text),
  });
  const { stillOpen: _stillOpen, ...result } = outcome.result;
  conclude({ ...outcome, result }, invocation);
}
