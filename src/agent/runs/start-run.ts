import {
  AgentError,
  areRoles,
  defaultSession,
  isDropping,
  onAbort,
  optional,
  readPrompt,
  reasonOf,
  rolesExpected,
  timer,
  toErrorData,
  type Json,
  type OpenQuestion,
  type RunHandle,
  type RunRequest,
} from '../../core/index.ts';
import type { Stop } from '../../run/lifecycle/stop.ts';
import { readLog } from '../../run/log/read-log.ts';
import { newRunId } from '../../run/log/sanitize.ts';
import type { Attendance, Runs } from '../../run/runs.ts';
import { pendingOf } from '../../views/index.ts';
import type { PromptIo } from '../options.ts';
import { answerIn, findWaiting, isMeantFor, type WaitingQuestion } from './pending.ts';
import { attend, type Attended, type RunWorks } from './run-handle.ts';

/** What only the process that begins a run knows of it. */
export interface Own extends Pick<Attendance, 'registry' | 'memory'>, Pick<PromptIo, 'inputReader'> {
  /** Awaited before a turn begins, in its place of the line. */
  readonly prepared?: () => Promise<void>;
}

/**
 * Begins a run at once, or when the turns of its session that were asked for before are over. A prompt that names no
 * skill answers the question that waits in its session, if there is one, and goes on with the run that asked it; one that
 * is a request of its own leaves it open. What can be answered no more goes on without.
 */
export function beginRun(open: () => Promise<RunWorks>, request: RunRequest, own: Own = {}): RunHandle {
  const attended: Attended = { id: newRunId() };
  const { session, user, prompt, skill = '', signal } = request;
  const work = (works: RunWorks, attendance: Attendance): Promise<Stop> => {
    checkRequest(request);
    const { runs } = works;
    const { inputReader, prepared, ...known } = own;
    const begin = (): Promise<Stop> => runs.start(attended.id, request, { ...attendance, ...known });
    const room = session ?? defaultSession;
    const tellOpen = async (): Promise<void> => {
      const { next } = await findWaiting(works, room, { except: attended.id });
      Object.assign(attended, optional('stillOpen', next?.question));
    };
    const start = async (): Promise<Stop> => {
      const { next, late } = await findWaiting(works, room, { prompt });
      const waiting = next !== undefined && answers(works, request, next) ? next : undefined;
      if (waiting !== undefined) attended.id = waiting.runId;
      for (const id of late) if (id !== waiting?.runId) await runs.letExpire(id, attendance.signal);
      const goingOn = { ...attendance, ...optional('memory', own.memory) };
      const stop = await (waiting === undefined ? begin() : goOn(runs, waiting, prompt ?? '', goingOn));
      const reader = { ...goingOn, ...optional('inputReader', inputReader) };
      const end = await askReader(works, attended.id, stop, reader);
      if (end.why !== 'broken' && (next !== undefined || late.length > 0)) await tellOpen();
      return end;
    };
    if (session === undefined) return prompt === undefined ? begin() : start();
    if (prompt === undefined)
      return works.sessions.during(session, user, async () => {
        const stop = await begin();
        if (stop.why !== 'broken') await tellOpen();
        return stop;
      });
    return unlessWithdrawn(attendance.signal, (begin) =>
      works.sessions.turn(session, user, async () => {
        await prepared?.();
        return begin(start);
      }),
    );
  };
  return attend(attended, skill, open, work, signal);
}

/** Whether a request answers the question that waits in its session: never when it names a skill. */
function answers(works: RunWorks, { skill, prompt = '' }: RunRequest, waiting: WaitingQuestion): boolean {
  if (skill !== undefined || prompt.trim() === '') return false;
  if (readPrompt(prompt).name !== undefined && !isDropping(prompt)) return false;
  return isMeantFor(waiting, prompt, works);
}

/** Gives a prompt to the question, or drops it; an answer that does not fit leaves the run waiting. */
async function goOn(
  runs: Runs,
  { runId, question, isAnswered }: WaitingQuestion,
  prompt: string,
  attendance: Attendance,
): Promise<Stop> {
  if (isDropping(prompt)) {
    await runs.cancel(runId, 'The question was dropped.');
    return { why: 'ended' };
  }
  try {
    if (!isAnswered) await runs.answer(runId, answerIn(question, prompt), question.id);
  } catch (thrown) {
    const error = toErrorData(thrown);
    if (error.code !== 'policy.expired') return { why: 'broken', error }; // else the run went on without it
  }
  return runs.resume(runId, attendance);
}

/** Whoever is called off while it stands in line does not begin, and is not waited for. */
async function unlessWithdrawn(
  signal: AbortSignal | undefined,
  enter: (begin: (start: () => Promise<Stop>) => Promise<Stop>) => Promise<Stop>,
): Promise<Stop> {
  const withdrawn = Promise.withResolvers<never>();
  let hasBegun = false;
  const withdraw = (): void => {
    if (!hasBegun)
      withdrawn.reject(new AgentError('usage.cancelled', 'The run was cancelled before it began.'));
  };
  using _withdrawal = onAbort(signal, withdraw);
  if (signal?.aborted === true) withdraw(); // while the works were opened
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
  { runs, store }: RunWorks,
  runId: string,
  stopped: Stop,
  { inputReader, ...attendance }: Attendance & Pick<PromptIo, 'inputReader'>,
): Promise<Stop> {
  let stop = stopped;
  const { signal = new AbortController().signal } = attendance;
  while (inputReader !== undefined && stop.why === 'waiting') {
    const question = pendingOf(await readLog(store, runId)).find(({ kind }) => kind === 'input');
    if (question === undefined) return stop;
    const late = new AbortController();
    const { expires } = question;
    using _deadline = expires === undefined ? undefined : timer(expires - runs.now(), () => late.abort());
    const over = AbortSignal.any([signal, late.signal]);
    const given = await unlessAborted(inputReader(question, over), over);
    const answer = late.signal.aborted ? undefined : given; // a reader may answer the abort itself
    if (signal.aborted) {
      await runs.cancel(runId, reasonOf(signal.reason));
      return { why: 'ended' };
    }
    if (answer === undefined && !late.signal.aborted) return stop;
    if (answer !== undefined) await give(runs, runId, question, answer);
    stop = await runs.resume(runId, attendance);
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

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  using _listening = onAbort(signal, () => {
    aborted.resolve(undefined);
  });
  return signal.aborted ? undefined : await Promise.race([work, aborted.promise]);
}
