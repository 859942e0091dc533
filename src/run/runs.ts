import {
  AgentError,
  defaultSession,
  optional,
  redactJson,
  timer,
  toErrorData,
  toPlain,
  type Json,
  type MemoryMap,
  type OpenQuestion,
  type RunRequest,
  type RunStarted,
} from '../core/index.ts';
import { checkLimits } from './calls/budget.ts';
import { keptWishes } from './calls/call.ts';
import { earlyPreparation, type EarlyPreparation } from './calls/early-preparation.ts';
import type { GivenRequest, Kernel, Runtime } from './kernel.ts';
import { cancelRun } from './lifecycle/cancel.ts';
import { executeRun } from './lifecycle/execute-run.ts';
import { Live } from './lifecycle/live-runs.ts';
import { startRerun } from './lifecycle/rerun.ts';
import { letExpire, takeUp, type TakeUpOptions } from './lifecycle/resume.ts';
import { shutDown, type Stop } from './lifecycle/stop.ts';
import type { Listener } from './log/journal.ts';
import { cleanKey, cleanValue, newRunId, userKey } from './log/sanitize.ts';
import { giveAnswer, isAnswer } from './questions/give-answer.ts';
import { inputFor } from './routing/candidates.ts';
import { steerRun } from './scope/steering.ts';

/** Who observes a run, what stops it, and what only this process knows of it. */
export interface StartOptions {
  readonly listener?: Listener;
  readonly signal?: AbortSignal;
  /** The skills of this run, where they are not those of the agent; only the process that begins it knows them. */
  readonly registry?: Kernel['registry'];
  /** Stands in for the memory of its session; only the process that begins it knows it. */
  readonly memory?: MemoryMap;
}

/** The runs of one agent: starts them, takes them up again, ends them. */
export class Runs {
  readonly #kernel: Kernel;
  readonly #closing = new AbortController();
  /** What is known only here of runs that did not end. */
  readonly #own = new Map<
    string,
    Pick<Kernel, 'check' | 'memory' | 'given'> & Partial<Pick<Kernel, 'registry'>>
  >();
  #isClosed = false;

  constructor(runtime: Runtime) {
    this.#kernel = {
      ...runtime,
      live: new Live(runtime.store),
      preparations: new Map(),
      waits: new Map(),
      sessionKeepers: new Map(),
      closing: this.#closing.signal,
    };
  }

  /** The id of a run that is about to begin. */
  newId(): string {
    return newRunId();
  }

  /** Begins a run and works on it until it ends, waits or is lost. */
  async start(runId: string, request: RunRequest, options: StartOptions = {}): Promise<Stop> {
    this.#mustBeOpen();
    const { registry, memory, ...rest } = options;
    const begin = this.#begin(request, registry);
    const own = {
      ...optional('check', request.wanted?.check),
      ...optional('registry', registry),
      ...optional('memory', memory),
      ...optional('given', this.#givenIn(request, registry)),
    };
    if (Object.keys(own).length > 0) this.#own.set(runId, own);
    try {
      const stop = await executeRun(this.#kernelOf(runId), runId, { begin, ...rest });
      return this.#forget(
        runId,
        stop.why === 'elsewhere' ? await takeUp(this.#kernelOf(runId), runId, rest) : stop,
      );
    } catch (thrown) {
      this.#own.delete(runId); // nobody here goes on with it
      throw thrown;
    }
  }

  /** Works on a run that began before, or follows it while another process does. */
  async resume(runId: string, given: TakeUpOptions & Pick<StartOptions, 'memory'> = {}): Promise<Stop> {
    this.#mustBeOpen();
    const { memory, ...options } = given;
    if (memory !== undefined) this.#own.set(runId, { ...this.#own.get(runId), memory });
    return this.#forget(runId, await takeUp(this.#kernelOf(runId), runId, options));
  }

  /** Begins a run with the request of an earlier one; what that had finished before a frame began is not done again. */
  async rerun(runId: string, earlier: string, from?: string, options: StartOptions = {}): Promise<Stop> {
    this.#mustBeOpen();
    await startRerun(this.#kernel, runId, earlier, from);
    return executeRun(this.#kernel, runId, options);
  }

  /**
   * Answers a question of a run; whoever works on it goes on, and `resume` does where nobody is. An answer that comes too
   * late is `policy.expired`, and the run goes on without.
   */
  async answer(runId: string, answer: Json, questionId?: string): Promise<void> {
    try {
      await giveAnswer(this.#kernelOf(runId), runId, answer, questionId);
    } catch (thrown) {
      if (toErrorData(thrown).code === 'policy.expired') await this.letExpire(runId);
      throw thrown;
    }
  }

  /** Lets a run go on that waits for an answer which comes too late; one that waits for something else stays as it is. */
  async letExpire(runId: string, signal?: AbortSignal): Promise<void> {
    const stop = await letExpire(this.#kernelOf(runId), runId, optional('signal', signal));
    if (stop !== undefined) this.#forget(runId, stop);
  }

  /** Whether words that are said while a question of a run waits answer it, and are no request of their own. */
  isAnswer(runId: string, question: OpenQuestion, words: string): boolean {
    return isAnswer(this.#kernelOf(runId), question, words);
  }

  /** Milliseconds since 1970, by the clock that its runs go by. */
  now(): number {
    return this.#kernel.now();
  }

  /** Leaves a message for the next model step of a run. */
  steer(runId: string, text: string): Promise<void> {
    return steerRun(this.#kernel, runId, text);
  }

  /** Ends a run, wherever it is; tells whether it was open. */
  async cancel(runId: string, reason?: string): Promise<boolean> {
    const wasOpen = await cancelRun(this.#kernel, runId, reason);
    this.#own.delete(runId);
    return wasOpen;
  }

  /** What there is to prepare of a skill before anybody calls it; undefined where there is nothing. */
  early(name: string): Promise<EarlyPreparation | undefined> {
    return earlyPreparation(this.#kernel, name);
  }

  /** Lets runs end for so many milliseconds, closes what was kept, and leaves the runs that did not end to other processes. */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    const { live, keeper, preparations } = this.#kernel;
    const reason = new AgentError('usage.cancelled', 'The agent was shut down; the run can be resumed.');
    const leave = (): void => {
      this.#closing.abort(reason);
    };
    using _deadline = timer(drainMs, leave);
    await live.idle();
    leave(); // whoever only follows a run, or prepares something, stops as well
    await Promise.allSettled([live.idle(), ...[...preparations.values()].map(({ ready }) => ready)]);
    const kept = [...this.#kernel.sessionKeepers.keys()];
    await Promise.all([keeper.close(), ...kept.map((session) => this.forgetSession(session))]);
    await live.release();
  }

  /** Closes what is kept open for a session. */
  async forgetSession(session: string): Promise<void> {
    const { sessionKeepers } = this.#kernel;
    const keeper = sessionKeepers.get(session);
    sessionKeepers.delete(session);
    await keeper?.close();
  }

  /** A value as it may be kept: plain JSON without secrets. */
  clean(value: Json): Json {
    return cleanValue(value, this.#kernel.redact);
  }

  /** The name under which a session is kept: without secrets, and of a bearable length. */
  keyOf(session: string): string {
    return cleanKey(session, this.#kernel.redact);
  }

  #kernelOf(runId: string): Kernel {
    const own = this.#own.get(runId);
    return own === undefined ? this.#kernel : { ...this.#kernel, ...own };
  }

  #forget(runId: string, stop: Stop): Stop {
    if (stop.why === 'ended') this.#own.delete(runId);
    return stop;
  }

  #begin(request: RunRequest, registry = this.#kernel.registry): RunStarted {
    const { redact, limits } = this.#kernel;
    const { skill = '', prompt = '', session } = request;
    if (request.skill === '') registry().lookup.resolve(''); // not the same as none: it is not found
    if (skill + prompt.trim() === '') {
      throw new AgentError('usage.bad-input', 'The request has neither a skill nor a prompt.', {
        hint: 'Give { skill: "name" } or { prompt: "what is to be done" }.',
      });
    }
    const wishes = keptWishes(request.wanted);
    return {
      type: 'run.started',
      skill: cleanKey(skill, redact),
      input: cleanValue(inputFor(registry(), request), redact),
      ...optional('prompt', prompt === '' ? undefined : (cleanValue(prompt, redact) as string)),
      ...(prompt !== '' && session !== undefined ? { turn: true } : {}),
      session: cleanKey(request.session ?? defaultSession, redact),
      ...optional('user', userKey(request.user)),
      ...optional('roles', this.#rolesOf(request)),
      limits: { ...limits, ...checkLimits(request.limits) },
      ...optional('through', request.through),
      ...optional('wanted', wishes === undefined ? undefined : (cleanValue(wishes, redact) as object)),
    };
  }

  /** The input and the prompt as they were meant, where what is kept of them is less. */
  #givenIn(request: RunRequest, registry = this.#kernel.registry): GivenRequest | undefined {
    const { redact } = this.#kernel;
    const { prompt = '' } = request;
    const input = toPlain(inputFor(registry(), request));
    return redact(prompt) === prompt && redactJson(input, redact) === input ? undefined : { input, prompt };
  }

  #rolesOf({ roles = [] }: RunRequest): readonly string[] | undefined {
    return roles.length === 0 ? undefined : (cleanValue(roles, this.#kernel.redact) as readonly string[]);
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw shutDown();
  }
}
