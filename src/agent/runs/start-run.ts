import {
  AgentError,
  areRoles,
  checkAttachments,
  checkClientTools,
  acceptRenamed,
  isJsonObject,
  defaultSession,
  isDropping,
  onAbort,
  optional,
  readPrompt,
  rolesExpected,
  toErrorData,
  warnRenamed,
  type PromptIo,
  type Requester,
  type RunHandle,
  type RunOptions,
  type RunRequest,
  type RunUser,
  type ShownQuestion,
} from '../../core/index.ts';
import type { Stop } from '../../run/lifecycle/stop.ts';
import { checkRunId, newRunId } from '../../run/log/sanitize.ts';
import type { Runs, StartOptions } from '../../run/runs.ts';
import { mustBeAssistantMode } from '../setup.ts';
import { askReader } from './ask-reader.ts';
import { answerIn, findWaiting, isMeantFor, type WaitingQuestion } from './pending.ts';
import {
  cancelledBefore,
  checkSignal,
  createRunHandle,
  RunObserver,
  type RunServices,
} from './run-handle.ts';

/** Run options that exist only in the process that starts the run. */
export interface LocalOptions extends Pick<StartOptions, 'registry' | 'memory'> {
  /** Answers the run's questions and receives its output. */
  readonly io?: PromptIo;
  /** Called and awaited before a turn begins. Meanwhile, the turn keeps its place in the session's queue. */
  readonly prepared?: () => Promise<void>;
}

const requestNames = { through: 'mode', wanted: 'overrides' };

/** Converts deprecated names in a request, with a warning for each. */
export function currentRequest(options: RunOptions): RunRequest {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- accepted until the next release
  const { user, roles, session, ...rest } = acceptRenamed(options, requestNames, 'RunRequest');
  // Untyped programs can pass null. An empty id is treated as missing.
  const request = { ...rest, ...optional('session', session || undefined) };
  if (typeof user === 'string') warnRenamed('RunRequest.user as text', 'RunRequest.user.id');
  if (roles !== undefined) warnRenamed('RunRequest.roles', 'RunRequest.user.roles');
  const named = typeof user === 'string' ? { id: user } : (user ?? undefined);
  // A user of any other type is rejected when the run starts.
  const isUser = named === undefined || isJsonObject(named);
  if (roles === undefined || !isUser) return { ...request, ...optional('user', named) };
  return { ...request, user: { roles, ...named } };
}

/**
 * Starts a run immediately, or after the earlier turns of its session.
 *
 * If a question is waiting in the session, a prompt that does not name a skill can answer it, which continues
 * the run that asked. A new request leaves the question open. A run whose question has expired continues
 * without an answer.
 */
export function startRun(
  open: () => Promise<RunServices>,
  request: RunRequest,
  local: LocalOptions = {},
): RunHandle {
  const observer = new RunObserver(request.id ?? newRunId(), request.signal);
  observer.write = local.io?.outputWriter;
  return createRunHandle(observer, request.skill ?? '', open, takeTurn(open, { observer, request, local }));
}

/** Records a request without executing it, and resolves to the id of its run. */
export async function submitRun(open: () => Promise<RunServices>, request: RunRequest): Promise<string> {
  checkRequest(request);
  const { id = newRunId() } = request;
  const { runs } = await open();
  await runs.submit(id, request);
  return id;
}

/** A turn that does not have a run yet. */
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
    return await (prompt === undefined ? startAndAsk(services, turn) : startOrContinue(services, turn));
  if (prompt === undefined)
    return await services.sessions.during(session, user?.id, async () => {
      const stop = await startAndAsk(services, turn);
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

/** Starts a run that is not a prompt. If it asks questions, the input reader answers them. */
async function startAndAsk(services: RunServices, turn: Turn): Promise<Stop> {
  const { observer, local } = turn;
  return askReader(services, observer, await start(services, turn), local);
}

function start({ runs }: RunServices, { observer, request, local }: Turn): Promise<Stop> {
  const { listener, signal } = observer;
  const { io, prepared: _prepared, ...options } = local;
  const { inputReader, outputWriter } = io ?? {};
  const ways = { reads: inputReader !== undefined, writes: outputWriter !== undefined };
  return runs.start(observer.id, request, { ...options, ...optional('io', io && ways), listener, signal });
}

/**
 * Continues the run whose question the prompt answers, or starts a new run. If the run then asks questions,
 * the input reader answers them.
 */
async function startOrContinue(services: RunServices, turn: Turn): Promise<Stop> {
  const { runs } = services;
  const { observer, request, local } = turn;
  const { prompt = '', session = defaultSession, user = {}, question } = request;
  const { listener, signal } = observer;
  const options = { listener, signal, ...optional('memory', local.memory) };
  const { next, late } = await findWaiting(services, session, { prompt, user, question });
  if (question && isBare(request)) mustBeOpen(question, next, late);
  const isOffered = next !== undefined && question !== null;
  const waiting = isOffered && answers(services, request, next) ? next : undefined;
  if (waiting !== undefined) await observer.follow(waiting.runId, services.store);
  for (const id of late) if (id !== waiting?.runId) await runs.letExpire(id, signal);
  const stop = await (waiting === undefined
    ? start(services, turn)
    : continueWith(runs, waiting, prompt, {
        ...options,
        by: { ...optional('user', user.id), ...optional('client', request.client) },
      }));
  const end = await askReader(services, observer, stop, local);
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
function isBare({ skill, prompt = '', toAssistant }: RunRequest): boolean {
  if (toAssistant === true || skill !== undefined || prompt.trim() === '') return false;
  return readPrompt(prompt).name === undefined || isDropping(prompt);
}

/**
 * Throws if the question that was shown to the user is no longer open. Otherwise, the prompt would be treated
 * as a new request.
 */
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
type ContinueOptions = Pick<RunObserver, 'listener' | 'signal'> &
  Pick<StartOptions, 'memory'> & { readonly by: Requester };

/** Uses the prompt to answer or cancel the question. If the answer is invalid, the run keeps waiting. */
async function continueWith(
  runs: Runs,
  { runId, question, isAnswered }: WaitingQuestion,
  prompt: string,
  { by, ...options }: ContinueOptions,
): Promise<Stop> {
  if (isDropping(prompt)) {
    await runs.cancel(runId, 'The question was dropped.', by);
    return { why: 'ended' };
  }
  try {
    if (!isAnswered) await runs.answer(runId, answerIn(question, prompt), question.id, by);
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
 * Throws `usage.bad-input` if a text field of a request is not a string. For example, a user with a numeric
 * id would not own any data. Also rejects invalid roles, which could grant or deny access by accident.
 */
function checkRequest(request: RunRequest): void {
  const { id: runId, skill, prompt, session, user, signal, assistant, attachments, instructions } = request;
  checkSignal(signal);
  mustBeAssistantMode(assistant);
  checkAttachments(attachments);
  checkClientTools(request.tools);
  const { id, roles } = userIn(user);
  const texts = { id: runId, skill, prompt, session, instructions, user: id ?? undefined };
  for (const [name, value] of Object.entries(texts) as readonly [string, unknown][]) {
    if (value === undefined || typeof value === 'string') continue;
    const kind = value === null ? 'null' : typeof value;
    throw new AgentError('usage.bad-input', `A request's ${name} must be a string, not ${kind}.`, {
      hint: 'Pass a string, or leave out the value.',
    });
  }
  if (runId !== undefined) checkRunId(runId);
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
