import {
  AgentError,
  defaultSession,
  optional,
  recordLimits,
  redactJson,
  timer,
  toErrorData,
  toPlain,
  userKey,
  type Json,
  type MemoryMap,
  type OpenQuestion,
  type Requester,
  type RunLimits,
  type RunRequest,
  type RunStarted,
} from '../core/index.ts';
import { checkLimits, tighter } from './calls/budget.ts';
import { withoutCheck } from './calls/call.ts';
import { earlyPreparation, type EarlyPreparation } from './calls/early-preparation.ts';
import type { GivenRequest, Kernel, Runtime } from './kernel.ts';
import { cancelRun, recordRequest } from './lifecycle/cancel.ts';
import { executeRun } from './lifecycle/execute-run.ts';
import { Live } from './lifecycle/live-runs.ts';
import { startRerun, type RunAsker } from './lifecycle/rerun.ts';
import { letExpire, resumeRun, type ResumeRunOptions } from './lifecycle/resume.ts';
import { shutDown, type Stop } from './lifecycle/stop.ts';
import type { Listener } from './log/journal.ts';
import { cleanKey, cleanValue } from './log/sanitize.ts';
import { actorOf, giveAnswer, isAnswer } from './questions/give-answer.ts';
import { inputFor } from './routing/candidates.ts';
import { storeAttachments } from './scope/attachments.ts';
import { steerRun } from './scope/steering.ts';

/** Run options that only the process that starts the run knows. */
export interface StartOptions {
  readonly listener?: Listener;
  readonly signal?: AbortSignal;
  /** The skills to use instead of the agent's skills. */
  readonly registry?: Kernel['registry'];
  /** Memory that replaces the session's memory. Known only to the process that begins the run. */
  readonly memory?: MemoryMap;
  /** Whether the caller answers questions and receives output. Recorded with the run. */
  readonly io?: RunStarted['io'];
}

/** Starts, resumes and ends the runs of one agent. */
export class Runs {
  readonly #kernel: Kernel;
  readonly #closing = new AbortController();
  /** Data about open runs that only this process has. */
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
      sessionResources: new Map(),
      closing: this.#closing.signal,
    };
  }

  /** Begins a run and works on it until it ends, waits, or is taken over by another process. */
  async start(runId: string, request: RunRequest, options: StartOptions = {}): Promise<Stop> {
    this.#mustBeOpen();
    const { registry, memory, io, ...rest } = options;
    const attachments = await this.#attachmentsOf(request);
    const begin = {
      ...this.#begin(request, registry, memory === undefined),
      ...optional('attachments', attachments),
      ...optional('io', io),
    };
    const own = {
      ...optional('check', request.overrides?.check),
      ...optional('registry', registry),
      ...optional('memory', memory),
      ...optional('given', this.#givenIn(request, registry)),
    };
    if (Object.keys(own).length > 0) this.#own.set(runId, own);
    try {
      if (request.id !== undefined) {
        await recordRequest(this.#kernel, runId, begin);
        return await this.resume(runId, rest);
      }
      const stop = await executeRun(this.#kernelOf(runId), runId, { begin, ...rest });
      return this.#forget(
        runId,
        stop.why === 'elsewhere' ? await resumeRun(this.#kernelOf(runId), runId, rest) : stop,
      );
    } catch (thrown) {
      this.#own.delete(runId); // This process does not continue the run.
      throw thrown;
    }
  }

  /** Records a request without executing it. Any process with the same store can execute it with `resume`. */
  async submit(runId: string, request: RunRequest): Promise<void> {
    this.#mustBeOpen();
    const attachments = await this.#attachmentsOf(request);
    const begin = this.#begin({ ...request, submitted: true });
    await recordRequest(this.#kernel, runId, { ...begin, ...optional('attachments', attachments) });
  }

  /** Works on a run that has already begun, or follows it while another process works on it. */
  async resume(runId: string, given: ResumeRunOptions & Pick<StartOptions, 'memory'> = {}): Promise<Stop> {
    this.#mustBeOpen();
    const { memory, ...options } = given;
    const own = { ...this.#own.get(runId), ...optional('memory', memory) };
    if (Object.keys(own).length > 0) this.#own.set(runId, own);
    return this.#forget(runId, await resumeRun(this.#kernelOf(runId), runId, options));
  }

  /** Begins a run with an earlier run's request. Reuses everything that ended before frame `from` began. */
  async rerun(
    runId: string,
    earlier: string,
    from?: string,
    { asker, ...options }: Pick<StartOptions, 'listener' | 'signal'> & { readonly asker?: RunAsker } = {},
  ): Promise<Stop> {
    this.#mustBeOpen();
    await startRerun(this.#kernel, runId, earlier, from, asker);
    return executeRun(this.#kernel, runId, options);
  }

  /**
   * Answers a run's question. A run in progress continues immediately; any other run continues when `resume`
   * is called. A late answer throws `policy.expired`, and the run continues without the answer.
   */
  async answer(runId: string, answer: Json, questionId?: string, by?: Requester): Promise<void> {
    try {
      await giveAnswer(this.#kernelOf(runId), runId, answer, questionId, actorOf(by));
    } catch (thrown) {
      if (toErrorData(thrown).code === 'policy.expired') await this.letExpire(runId);
      throw thrown;
    }
  }

  /** Continues a run whose question has expired. A run that is waiting for anything else is not changed. */
  async letExpire(runId: string, signal?: AbortSignal): Promise<void> {
    const stop = await letExpire(this.#kernelOf(runId), runId, optional('signal', signal));
    if (stop !== undefined) this.#forget(runId, stop);
  }

  /** Whether a string can be the answer to an open question. If not, it is a new request. */
  isAnswer(runId: string, question: OpenQuestion, text: string): boolean {
    return isAnswer(this.#kernelOf(runId), question, text);
  }

  /** The current time of the runs' clock, in milliseconds since the Unix epoch. */
  now(): number {
    return this.#kernel.now();
  }

  /** Stores a message for a run's next model step. */
  steer(runId: string, text: string): Promise<void> {
    return steerRun(this.#kernel, runId, text);
  }

  /** Ends a run, even if another process is working on it. Resolves to true if the run was open. */
  async cancel(runId: string, reason?: string, by?: Requester): Promise<boolean> {
    const wasOpen = await cancelRun(this.#kernel, runId, reason, actorOf(by));
    this.#own.delete(runId);
    return wasOpen;
  }

  /** Stops working on a run. The run is interrupted and can be resumed. */
  async leave(runId: string, reason: unknown): Promise<void> {
    (await this.#kernel.live.find(runId))?.lose(reason);
  }

  /** Returns the early preparation of a skill, or undefined if it needs none. */
  early(name: string): Promise<EarlyPreparation | undefined> {
    return earlyPreparation(this.#kernel, name);
  }

  /**
   * Gives runs up to `drainMs` milliseconds to end, then closes all resources. Other processes can resume
   * runs that are still open.
   */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    const { live, resources, preparations } = this.#kernel;
    const reason = new AgentError('usage.cancelled', 'The agent was shut down; the run can be resumed.');
    const abort = (): void => {
      this.#closing.abort(reason);
    };
    using _deadline = timer(drainMs, abort);
    await live.idle();
    abort(); // Aborting also stops preparations, and handles that only observe a run.
    await Promise.allSettled([live.idle(), ...[...preparations.values()].map(({ ready }) => ready)]);
    const sessions = [...this.#kernel.sessionResources.keys()];
    await Promise.all([resources.close(), ...sessions.map((session) => this.forgetSession(session))]);
    await live.release();
  }

  /** Closes a session's resources. */
  async forgetSession(session: string): Promise<void> {
    const { sessionResources } = this.#kernel;
    const resources = sessionResources.get(session);
    sessionResources.delete(session);
    await resources?.close();
  }

  /** Converts a value to its stored form: plain JSON without secrets. */
  clean(value: Json): Json {
    return cleanValue(value, this.#kernel.redact);
  }

  /** Returns the stored form of a session's name: without secrets and limited in length. */
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

  #begin(request: RunRequest, registry = this.#kernel.registry, isStored = true): RunStarted {
    const { redact } = this.#kernel;
    const { skill = '', prompt = '', session } = request;
    // Look up an empty name as well, so that the lookup throws an error.
    if (request.skill === '') registry().lookup.resolve('');
    if (skill + prompt.trim() === '' && request.toAssistant !== true) {
      throw new AgentError('usage.bad-input', 'The request has neither a skill nor a prompt.', {
        hint: 'Pass { skill: "name" } or { prompt: "what you would like to do" }.',
      });
    }
    return {
      type: 'run.started',
      skill: cleanKey(skill, redact),
      input: cleanValue(inputFor(registry(), request), redact),
      ...optional('prompt', prompt === '' ? undefined : (cleanValue(prompt, redact) as string)),
      ...(prompt !== '' && session !== undefined && isStored ? { turn: true } : {}),
      session: cleanKey(request.session ?? defaultSession, redact),
      ...optional('user', userKey(request.user?.id)),
      ...optional('roles', this.#rolesOf(request)),
      ...optional('client', request.client),
      ...optional('access', request.access),
      ...(request.toAssistant === true ? { toAssistant: true } : {}),
      ...(request.submitted === true ? { submitted: true } : {}),
      ...optional('assistant', prompt === '' ? undefined : this.#modeOf(request)),
      limits: recordLimits(this.#limitsOf(request)),
      ...optional('through', request.mode),
      ...optional('wanted', this.#cleaned<object>(withoutCheck(request.overrides) as object | undefined)),
      ...optional('tools', this.#cleaned(request.tools)),
      ...optional('instructions', this.#cleaned(request.instructions)),
    };
  }

  /** Returns the original input and prompt, or undefined if their stored form is the same. */
  #givenIn(request: RunRequest, registry = this.#kernel.registry): GivenRequest | undefined {
    const { redact } = this.#kernel;
    const { prompt = '' } = request;
    const input = toPlain(inputFor(registry(), request));
    return redact(prompt) === prompt && redactJson(input, redact) === input ? undefined : { input, prompt };
  }

  /** Returns the limits of a run. A request that a server took can only lower those of the agent. */
  #limitsOf({ limits, submitted }: RunRequest): RunLimits {
    const [own, given] = [this.#kernel.limits, checkLimits(limits)];
    return submitted === true ? tighter(own, given) : { ...own, ...given };
  }

  #rolesOf({ user: { roles = [] } = {} }: RunRequest): readonly string[] | undefined {
    return roles.length === 0 ? undefined : this.#cleaned(roles);
  }

  #cleaned<Value>(value: Value | undefined): Value | undefined {
    return value === undefined ? undefined : (this.clean(value as Json) as Value);
  }

  async #attachmentsOf({ attachments, session }: RunRequest): Promise<RunStarted['attachments']> {
    if (attachments === undefined || attachments.length === 0) return undefined;
    const key = this.keyOf(session ?? defaultSession);
    return await storeAttachments(this.#kernel.store, key, attachments);
  }

  /** Returns the mode to record. The absent mode is `skills-only`, as in logs of earlier releases. */
  #modeOf({ assistant = this.#kernel.routing.assistant }: RunRequest): 'open' | undefined {
    return assistant === 'open' ? 'open' : undefined;
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw shutDown();
  }
}
