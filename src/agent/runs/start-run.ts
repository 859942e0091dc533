import {
  AgentError,
  areRoles,
  acceptRenamed,
  deadline,
  isJsonObject,
  defaultSession,
  isDropping,
  onAbort,
  optional,
  readPrompt,
  reasonOf,
  rolesExpected,
  settlesBefore,
  toErrorData,
  warnRenamed,
  type Json,
  type OpenQuestion,
  type RunHandle,
  type RunOptions,
  type RunRequest,
  type RunUser,
  type ShownQuestion,
} from '../../core/index.ts';
import type { Stop } from '../../run/lifecycle/stop.ts';
import { readLog } from '../../run/log/read-log.ts';
import { newRunId } from '../../run/log/sanitize.ts';
import type { Runs, StartOptions } from '../../run/runs.ts';
import { pendingOf } from '../../views/index.ts';
import type { PromptIo } from '../options.ts';
import { answerIn, findWaiting, isMeantFor, type WaitingQuestion } from './pending.ts';
import { cancelledBefore, createRunHandle, RunObserver, type RunServices } from './run-handle.ts';

/** Run options that exist only in the process that starts the run. */
export interface LocalOptions
  extends Pick<StartOptions, 'registry' | 'memory' | 'io'>, Pick<PromptIo, 'inputReader'> {
  /** Called and awaited before a turn begins. The turn keeps its position in the queue during the call. */
  readonly prepared?: () => Promise<void>;
}

const requestNames = { through: 'mode', wanted: 'overrides' };

/** Converts deprecated names in a request, with a warning for each. */
export function currentRequest(options: RunOptions): RunRequest {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- accepted until the next release
  const { user, roles, session, ...rest } = acceptRenamed(options, requestNames, 'RunRequest');
  // Untyped programs can pass null. An empty id counts as missing.
  const request = { ...rest, ...optional('session', session || undefined) };
  if (typeof user === 'string') warnRenamed('RunRequest.user as text', 'RunRequest.user.id');
  if (roles !== undefined) warnRenamed('RunRequest.roles', 'RunRequest.user.roles');
  const named = typeof user === 'string' ? { id: user } : (user ?? undefined);
  // Any other type of user is rejected when the run starts.
  const isUser = named === undefined || isJsonObject(named);
  if (roles === undefined || !isUser) return { ...request, ...optional('user', named) };
  return { ...request, user: { roles, ...named } };
}

/**
 * Starts a run at once, or after the earlier turns of its session.
 *
 * If a question is waiting in the session, a prompt that does not name a skill can answer it; this continues
 * the run that asked. A new request leaves the question open. A run whose question has expired continues
 * without an answer.
 */
export function startRun(
  open: () => Promise<RunServices>,
  request: RunRequest,
  local: LocalOptions = {},
): RunHandle {
  const observer = new RunObserver(newRunId(), request.signal);
  return createRunHandle(observer, request.skill ?? '', open, takeTurn(open, { observer, request, local }));
}

/** A request for a turn that does not have a run yet. */
interface Turn {
  readonly observer: RunObserver;
  readonly request: RunRequest;
  readonly local: LocalOptions;
}

/** Waits for the session's earlier turns, then works on the run until it ends, waits or is taken over. */
async function takeTurn(open: () => Promise<RunServices>, turn: Turn): Promise<Stop> {
  const { observer, request, local } = turn;
  if (observer.signal.aborted) throw cancelledBefore();
  checkRequest(request);
  const services = await open();
  const { session, user, prompt } = request;
  if (session === undefined)
    return await (prompt === undefined ? start(services, turn) : startOrContinue(services, turn));
  if (prompt === undefined)
    return await services.sessions.during(session, user?.id, async () => {
      const stop = await start(services, turn);
      if (stop.why !== 'broken') await findStillOpen(services, turn);
      return stop;
    });
  const enter = local.memory === undefined ? 'turn' : 'visit';
  return await unlessWithdrawn(observer.signal, (begin) =>
    services.sessions[enter](
      session,
      user?.id,
      async (lost) => {
        using _claim = onAbort(lost, () => void services.runs.leave(observer.id, lost.reason));
        await local.prepared?.();
        return await begin(() => startOrContinue(services, turn));
      },
      observer.signal,
    ),
  );
}

function start({ runs }: RunServices, { observer, request, local }: Turn): Promise<Stop> {
  const { listener, signal } = observer;
  const { inputReader: _inputReader, prepared: _prepared, ...options } = local;
  return runs.start(observer.id, request, { ...options, listener, signal });
}

/**
 * Continues the run whose question the prompt answers, or starts a new run. If that run asks questions, the
 * input reader answers them.
 */
async function startOrContinue(services: RunServices, turn: Turn): Promise<Stop> {
  const { runs } = services;
  const { observer, request, local } = turn;
  const { prompt = '', session = defaultSession, user = {}, question } = request;
  const { listener, signal } = observer;
  const options = { listener, signal, ...optional('memory', local.memory), ...optional('io', local.io) };
  const { next, late } = await findWaiting(services, session, { prompt, user, question });
  if (question && isBare(request)) mustBeOpen(question, next, late);
  const isOffered = next !== undefined && question !== null;
  const waiting = isOffered && answers(services, request, next) ? next : undefined;
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

/** Records the question that is still waiting in the session after this run. */
async function findStillOpen(services: RunServices, { observer, request }: Turn): Promise<void> {
  const { session = defaultSession, user = {}, question } = request;
  const { next } = await findWaiting(services, session, { except: observer.id, user, question });
  observer.stillOpen = next && { ...next.question, runId: next.runId };
}

/** Whether a request answers the question waiting in its session. A request that names a skill never does. */
function answers(services: RunServices, request: RunRequest, waiting: WaitingQuestion): boolean {
  return isBare(request) && isMeantFor(waiting, request.prompt ?? '', services);
}

/** Whether a request consists only of a prompt that either names no skill or cancels a question. */
function isBare({ skill, prompt = '' }: RunRequest): boolean {
  if (skill !== undefined || prompt.trim() === '') return false;
  return readPrompt(prompt).name === undefined || isDropping(prompt);
}

/** Throws if the question that the user was shown is closed: the prompt must not become a new request. */
function mustBeOpen(
  { runId, id }: ShownQuestion,
  next: WaitingQuestion | undefined,
  late: readonly string[],
): void {
  if ((next?.runId === runId && next.question.id === id) || late.includes(runId)) return;
  throw new AgentError('usage.not-found', `Run ${runId} has no open question ${id}.`, {
    hint: 'It may have been answered or dropped meanwhile. Send the prompt again without a question.',
  });
}

/** Options for continuing a run. */
type ContinueOptions = Pick<RunObserver, 'listener' | 'signal'> & Pick<StartOptions, 'memory' | 'io'>;

/** Answers or cancels the question with the prompt. If the answer is invalid, the run keeps waiting. */
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
    // If the question has expired, the run continues without an answer.
    if (error.code !== 'policy.expired') return { why: 'broken', error };
  }
  return runs.resume(runId, options);
}

/**
 * Adds a turn to the queue. If the signal aborts before the turn begins, the turn is skipped and its caller
 * stops waiting.
 */
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
  if (signal?.aborted === true) withdraw(); // The signal was aborted while the services were being opened.
  const entered = enter((start) => {
    if (signal?.aborted === true) return withdrawn.promise;
    hasBegun = true;
    return start();
  });
  return await Promise.race([entered, withdrawn.promise]);
}

/**
 * Throws `usage.bad-input` if a field of a request is not a string, because a user with a numeric id would
 * not own any data. Also rejects invalid roles, which could grant or deny access by accident.
 */
function checkRequest({ skill, prompt, session, user }: RunRequest): void {
  const { id, roles } = userIn(user);
  const texts = { skill, prompt, session, user: id ?? undefined };
  for (const [name, value] of Object.entries(texts) as readonly [string, unknown][]) {
    if (value === undefined || typeof value === 'string') continue;
    const kind = value === null ? 'null' : typeof value;
    throw new AgentError('usage.bad-input', `A request's ${name} must be a string, not ${kind}.`, {
      hint: 'Pass a string, or leave out the value.',
    });
  }
  if (roles === undefined || areRoles(roles)) return;
  throw new AgentError('usage.bad-input', `A request's roles must be ${rolesExpected}.`, {
    hint: 'Pass the roles as ["name"], or leave them out.',
  });
}

function userIn(user: unknown): RunUser {
  if (user === undefined || isJsonObject(user)) return user ?? {};
  throw new AgentError('usage.bad-input', 'The user of a request must be { id, roles }.', {
    hint: 'Pass an id, roles or both, or leave out the user.',
  });
}

/**
 * Lets the input reader answer a run's questions as part of the turn, so that a queued prompt is not used as
 * an answer. If the turn is aborted during this time, the run ends. If an answer comes too late, the run
 * continues without it.
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
    // An untyped input reader can return an answer instead of a promise.
    const answering = Promise.resolve(inputReader(question, over));
    // The input reader can also resolve because the signal was aborted.
    const isInTime = (await settlesBefore(over, answering)) && !over.aborted;
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
    // If the question has expired, the run continues without the answer.
    if (toErrorData(thrown).code !== 'policy.expired') throw thrown;
  }
}

/**
 * Parses a text answer in the same way as a prompt: as the number of an option, or as a number if the schema
 * expects one.
 */
function asMeant(question: OpenQuestion, answer: Json): Json {
  return typeof answer === 'string' ? answerIn(question, answer) : answer;
}
