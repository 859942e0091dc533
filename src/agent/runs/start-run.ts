import {
  AgentError,
  areRoles,
  deadline,
  defaultSession,
  isDropping,
  onAbort,
  optional,
  readPrompt,
  reasonOf,
  rolesExpected,
  settlesBefore,
  toErrorData,
  type Json,
  type OpenQuestion,
  type RunHandle,
  type RunRequest,
} from '../../core/index.ts';
import type { Stop } from '../../run/lifecycle/stop.ts';
import { readLog } from '../../run/log/read-log.ts';
import { newRunId } from '../../run/log/sanitize.ts';
import type { Runs, StartOptions } from '../../run/runs.ts';
import { pendingOf } from '../../views/index.ts';
import type { PromptIo } from '../options.ts';
import { answerIn, findWaiting, isMeantFor, type WaitingQuestion } from './pending.ts';
import { cancelledBefore, createRunHandle, RunObserver, type RunServices } from './run-handle.ts';

/** Options of a run that only the process which starts it knows. */
export interface LocalOptions
  extends Pick<StartOptions, 'registry' | 'memory'>, Pick<PromptIo, 'inputReader'> {
  /** Awaited before a turn begins, while it holds its place in the queue. */
  readonly prepared?: () => Promise<void>;
}

/**
 * Starts a run at once, or when the turns of its session that were asked for before are over. A prompt that names no
 * skill answers the question that waits in its session, if there is one, and continues the run that asked it; one that
 * is a request of its own leaves the question open. A run whose question expired continues without an answer.
 */
export function startRun(
  open: () => Promise<RunServices>,
  request: RunRequest,
  local: LocalOptions = {},
): RunHandle {
  const observer = new RunObserver(newRunId(), request.signal);
  return createRunHandle(observer, request.skill ?? '', open, takeTurn(open, { observer, request, local }));
}

/** A request on its way to a run. */
interface Turn {
  readonly observer: RunObserver;
  readonly request: RunRequest;
  readonly local: LocalOptions;
}

/** Waits for the earlier turns of the session, then works on the run until it ends, waits or is lost. */
async function takeTurn(open: () => Promise<RunServices>, turn: Turn): Promise<Stop> {
  const { observer, request, local } = turn;
  if (observer.signal.aborted) throw cancelledBefore();
  checkRequest(request);
  const services = await open();
  const { session, user, prompt } = request;
  if (session === undefined)
    return await (prompt === undefined ? start(services, turn) : startOrContinue(services, turn));
  if (prompt === undefined)
    return await services.sessions.during(session, user, async () => {
      const stop = await start(services, turn);
      if (stop.why !== 'broken') await findStillOpen(services, turn);
      return stop;
    });
  return await unlessWithdrawn(observer.signal, (begin) =>
    services.sessions.turn(session, user, async () => {
      await local.prepared?.();
      return begin(() => startOrContinue(services, turn));
    }),
  );
}

function start({ runs }: RunServices, { observer, request, local }: Turn): Promise<Stop> {
  const { listener, signal } = observer;
  const { inputReader: _inputReader, prepared: _prepared, ...options } = local;
  return runs.start(observer.id, request, { ...options, listener, signal });
}

/** Continues the run whose question a prompt answers, or starts one, and lets the program answer what that asks. */
async function startOrContinue(services: RunServices, turn: Turn): Promise<Stop> {
  const { runs } = services;
  const { observer, request, local } = turn;
  const { prompt = '', session = defaultSession } = request;
  const { listener, signal } = observer;
  const options = { listener, signal, ...optional('memory', local.memory) };
  const { next, late } = await findWaiting(services, session, { prompt });
  const waiting = next !== undefined && answers(services, request, next) ? next : undefined;
  if (waiting !== undefined) observer.id = waiting.runId;
  for (const id of late) if (id !== waiting?.runId) await runs.letExpire(id, signal);
  const stop = await (waiting === undefined
    ? start(services, turn)
    : continueWith(runs, waiting, prompt, options));
  const reader = { ...options, ...optional('inputReader', local.inputReader) };
  const end = await askReader(services, observer.id, stop, reader);
  if (end.why !== 'broken' && (next !== undefined || late.length > 0)) await findStillOpen(services, turn);
  return end;
}

/** Notes which question waits in the session beside this run. */
async function findStillOpen(services: RunServices, { observer, request }: Turn): Promise<void> {
  const { session = defaultSession } = request;
  const { next } = await findWaiting(services, session, { except: observer.id });
  observer.stillOpen = next?.question;
}

/** Whether a request answers the question that waits in its session: never when it names a skill. */
function answers(
  services: RunServices,
  { skill, prompt = '' }: RunRequest,
  waiting: WaitingQuestion,
): boolean {
  if (skill !== undefined || prompt.trim() === '') return false;
  if (readPrompt(prompt).name !== undefined && !isDropping(prompt)) return false;
  return isMeantFor(waiting, prompt, services);
}

/** How a run is continued. */
type ContinueOptions = Pick<RunObserver, 'listener' | 'signal'> & Pick<StartOptions, 'memory'>;

/** Gives a prompt to the question, or drops it; an answer that does not fit leaves the run waiting. */
async function continueWith(
  runs: Runs,
  { runId, question, isAnswered }: WaitingQuestion,
  prompt: string,
  options: ContinueOptions,
): Promise<Stop> {
  if (isDropping(prompt)) {
    await runs.cancel(runId, 'The question was dropped.');
    return { why: 'ended' };
  }
  try {
    if (!isAnswered) await runs.answer(runId, answerIn(question, prompt), question.id);
  } catch (thrown) {
    const error = toErrorData(thrown);
    if (error.code !== 'policy.expired') return { why: 'broken', error }; // else the run continued without it
  }
  return runs.resume(runId, options);
}

/** A queued turn whose signal aborts never starts, and its caller stops waiting. */
async function unlessWithdrawn(
  signal: AbortSignal | undefined,
  enter: (begin: (start: () => Promise<Stop>) => Promise<Stop>) => Promise<Stop>,
): Promise<Stop> {
  const withdrawn = Promise.withResolvers<never>();
  let hasBegun = false;
  const withdraw = (): void => {
    if (!hasBegun) withdrawn.reject(cancelledBefore());
  };
  using _withdrawal = onAbort(signal, withdraw);
  if (signal?.aborted === true) withdraw(); // while the services were opened
  const entered = enter((start) => {
    if (signal?.aborted === true) return withdrawn.promise;
    hasBegun = true;
    return start();
  });
  return await Promise.race([entered, withdrawn.promise]);
}

/**
 * Throws `usage.bad-input` for a member of a request that must be text and is not: a user whose id is a number would own
 * nothing. Roles that are no list of names would let somebody in, or shut them out, by accident.
 */
function checkRequest({ skill, prompt, session, user, roles }: RunRequest): void {
  const texts = { skill, prompt, session, user: user ?? undefined };
  for (const [name, value] of Object.entries(texts) as readonly [string, unknown][]) {
    if (value === undefined || typeof value === 'string') continue;
    const kind = value === null ? 'null' : typeof value;
    throw new AgentError('usage.bad-input', `The ${name} of a request must be text, not ${kind}.`, {
      hint: 'Give it as text, or leave it out.',
    });
  }
  if (roles === undefined || areRoles(roles)) return;
  throw new AgentError('usage.bad-input', `The roles of a request must be ${rolesExpected}.`, {
    hint: 'Give them as ["name"], or leave them out.',
  });
}

/**
 * Has a program answer what a run asks for, for as long as it does. It is part of the turn: a prompt that stands in line
 * does not answer in its place. Whoever calls off the turn meanwhile ends the run; when it is too late to answer, the run
 * goes on without.
 */
async function askReader(
  { runs, store }: RunServices,
  runId: string,
  stopped: Stop,
  { inputReader, ...options }: ContinueOptions & Pick<PromptIo, 'inputReader'>,
): Promise<Stop> {
  let stop = stopped;
  const { signal } = options;
  while (inputReader !== undefined && stop.why === 'waiting') {
    const question = pendingOf(await readLog(store, runId)).find(({ kind }) => kind === 'input');
    if (question === undefined) return stop;
    const { expires } = question;
    using limit = expires === undefined ? undefined : deadline(expires - runs.now(), undefined, signal);
    const over = limit?.signal ?? signal;
    const answering = Promise.resolve(inputReader(question, over)); // programs in JavaScript may answer at once
    const isInTime = (await settlesBefore(over, answering)) && !over.aborted; // a reader may answer the abort itself
    if (signal.aborted) {
      await runs.cancel(runId, reasonOf(signal.reason));
      return { why: 'ended' };
    }
    const answer = isInTime ? await answering : undefined;
    if (answer === undefined && !over.aborted) return stop;
    if (answer !== undefined) await give(runs, runId, question, answer);
    stop = await runs.resume(runId, options);
  }
  return stop;
}

async function give(runs: Runs, runId: string, question: OpenQuestion, answer: Json): Promise<void> {
  try {
    await runs.answer(runId, asMeant(question, answer), question.id);
  } catch (thrown) {
    if (toErrorData(thrown).code !== 'policy.expired') throw thrown; // else the run went on without it
  }
}

/** A text is read like a prompt: it may be the number of an option, or a number that a schema asks for. */
function asMeant(question: OpenQuestion, answer: Json): Json {
  return typeof answer === 'string' ? answerIn(question, answer) : answer;
}
