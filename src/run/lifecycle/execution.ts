import {
  AgentError,
  defaultSession,
  optional,
  recordedLimits,
  type Actor,
  type Epoch,
  type ErrorData,
  type Held,
  type Json,
  type Output,
  type RunEnd,
  type RunStarted,
} from '../../core/index.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import { Budget } from '../calls/budget.ts';
import { Frame } from '../calls/frame.ts';
import { ScopedResources } from '../calls/scoped-resources.ts';
import type { Kernel } from '../kernel.ts';
import { Journal, Turns, type Listener } from '../log/journal.ts';
import { createRunStore, type RunStore } from '../log/read-log.ts';
import type { RunState } from '../log/run-state.ts';
import { cleanError, cleanKey, cleanValue, failedOutput } from '../log/sanitize.ts';
import { Answers } from '../questions/answers.ts';
import { KnownMessages } from '../scope/sent-messages.ts';
import type { Worked } from './live-runs.ts';
import { callerEnded, cancelReason, divergedOutput, endsBelow, runDeadline, turnEntries } from './run-end.ts';
import type { DerivedValues } from './run-end.ts';
import { interruptedBy, isInterruption, noSuchRun, type Stop } from './stop.ts';

/** Options for opening a run. */
export interface OpenRunOptions {
  /** The first event, if the run is new. */
  readonly begin?: RunStarted | undefined;
  /** Receives every event, starting with those that earlier processes wrote. */
  readonly listener?: Listener | undefined;
  /** The expected claim. If the run has a different claim or newer events, the run is not claimed. */
  readonly held?: Held | undefined;
}

/** The work of one process on a run, until the run ends, waits or is taken over. */
export class Execution implements Worked {
  readonly kernel: Kernel;
  readonly journal: Journal;
  /** The store, for reading during the run. If reading fails, this process releases the run. */
  readonly store: RunStore;
  /** The skills that were available when this process opened the run. */
  readonly registry: Registry;
  /** The root frame, which represents the run itself and is the parent of the first frame. */
  readonly top: Frame;
  /** Delivers outcomes to skills in the order of the log. */
  readonly turns: Turns;
  readonly answers: Answers;
  /** The sequence number of the last event written by earlier processes. */
  readonly resumedAt: number;
  /** The messages of all model requests, including logged ones. */
  readonly messages = new KnownMessages((value) => this.clean(value));
  /** Resources that are kept open for the whole run. */
  readonly resources = new ScopedResources();
  /** Values that are created while the process works on the run. */
  readonly derived: DerivedValues = {};
  readonly #stop = Promise.withResolvers<Stop>();
  readonly stopped = this.#stop.promise;
  readonly #started: RunStarted;
  readonly #broken = Promise.withResolvers<ErrorData>();
  #check: NodeJS.Immediate | undefined;
  #deadline: Disposable | undefined;
  #leftOpen: readonly Frame[] = [];
  #isNudged = false;
  #isOver = false;

  private constructor(kernel: Kernel, journal: Journal, started: RunStarted) {
    this.kernel = kernel;
    this.journal = journal;
    this.resumedAt = journal.events.at(-1)?.seq ?? 0;
    this.#started = started;
    this.registry = kernel.registry();
    const budget = new Budget(recordedLimits(started.limits), journal.state.spentBelow(''));
    const facts = { id: '', skill: undefined, inputHash: '', depth: 0, budget, access: started.access };
    this.top = new Frame(facts, undefined, this.#onChange);
    this.turns = new Turns(journal.state.started === undefined);
    this.answers = new Answers(journal, kernel.store, this.turns);
    this.store = createRunStore(kernel.store, (thrown) => this.lose(thrown));
    kernel.closing.addEventListener('abort', this.#release);
  }

  /** Claims a run and reads its log, so that work on the run can start. */
  static async open(kernel: Kernel, runId: string, options: OpenRunOptions): Promise<Execution> {
    kernel.closing.throwIfAborted();
    const execution = await kernel.live.open(runId, () => Execution.#claim(kernel, runId, options));
    if (kernel.closing.aborted) execution.#release(); // The agent shut down during the claim.
    return execution;
  }

  static async #claim(kernel: Kernel, runId: string, options: OpenRunOptions): Promise<Execution> {
    const { store, owner, now } = kernel;
    const { begin, listener, held } = options;
    const onBroken = (thrown: unknown): void => {
      execution.lose(thrown);
    };
    const journal = await Journal.open(runId, { store, owner, held, now, onBroken });
    const started = journal.state.started ?? (begin && { ...begin, version: kernel.version });
    if (started === undefined) {
      await store.remove([runId]); // The run does not exist, so the entry that the claim created is removed.
      throw noSuchRun(runId);
    }
    const execution = new Execution(kernel, journal, started);
    for (const event of journal.events) listener?.(event);
    if (listener !== undefined) journal.listen(listener);
    return execution;
  }

  get runId(): string {
    return this.journal.runId;
  }
  get epoch(): Epoch | undefined {
    return this.journal.epoch;
  }
  /** This process's claim, and the sequence number of the last event written under it. */
  get held(): Held {
    return { epoch: this.epoch ?? '', seq: this.journal.events.at(-1)?.seq ?? 0 };
  }
  get state(): RunState {
    return this.journal.state;
  }
  get session(): string {
    return this.state.started?.session ?? defaultSession;
  }

  /** Records that work has begun. Resolves to false if the run is over, and never once it is released. */
  async start(): Promise<boolean> {
    if (this.#isOver) return false;
    try {
      const { owner, version } = this.kernel;
      if (this.state.started === undefined) await this.top.follow(this.journal.add('', this.#started));
      // Recorded only if another event follows.
      else this.journal.lead({ type: 'run.resumed', owner, version });
      await this.top.follow(this.answers.load());
    } catch (thrown) {
      this.lose(thrown); // The store failed, so the run has no outcome yet.
      return false;
    }
    if (this.#isOver as boolean) return false; // The run was cancelled while answers were loading.
    this.#deadline = runDeadline(this, (late) => void this.end('failed', failedOutput(late)));
    return true;
  }

  /** Ends the run once its output is available. */
  async finish(answered: Promise<Output>): Promise<void> {
    try {
      const output = await this.top.settle(answered);
      await this.end(output.status, output);
    } catch (thrown) {
      await this.end('failed', failedOutput(this.cleanError(thrown)));
    }
  }

  /** Converts a value to the form in which it is stored and used: plain JSON without secrets. */
  clean(value: unknown): Json {
    return cleanValue(value, this.kernel.redact);
  }

  /** Converts an error to the form in which it is stored and used. */
  cleanError(thrown: unknown): ErrorData {
    return cleanError(thrown, this.kernel.redact);
  }

  /** Converts a name or key to the form in which it is stored and used. */
  cleanKey(key: string): string {
    return cleanKey(key, this.kernel.redact);
  }

  /** Ends the run and all open frames. Resolves to true if this call ended them and recorded each end. */
  async end(status: RunEnd, output: Output, actor?: Actor): Promise<boolean> {
    if (this.#isOver) return false;
    const error = output.status === 'failed' ? output.error : callerEnded;
    this.#over();
    const ends = endsBelow(this.state, this.top, error);
    this.top.stop(new AgentError(error.code, error.message));
    const run = { type: 'run.ended', status, output, ...optional('actor', actor) } as const;
    const isUnknown = this.journal.isUntouched && this.state.started === undefined;
    const first = isUnknown ? [{ frameId: '', body: this.#started }] : [];
    const bodies = [...first, ...ends, { frameId: '', body: run }];
    const facts = { ...this.derived, now: this.kernel.now(), journal: this.journal, registry: this.registry };
    const written = this.journal.addAll(bodies, turnEntries(this.#started, run, facts));
    this.journal.close();
    const loss = await this.#loss(written);
    await this.#closeAll();
    this.#settle(loss ?? { why: 'ended' });
    return loss === undefined;
  }

  /** Stops the run permanently. Resolves to true if this call ended it. */
  async cancel(reason?: string, actor?: Actor): Promise<boolean> {
    const cancelled = this.cleanError(new AgentError('usage.cancelled', cancelReason(reason)));
    const isEnded = await this.end('cancelled', failedOutput(cancelled), actor);
    await this.stopped;
    return isEnded;
  }

  /** Fails the entire run permanently because its program does not match its log. */
  diverge(frame: Frame, key: string): Promise<never> {
    void this.end('failed', divergedOutput(frame.skill?.name ?? this.runId, key));
    return new Promise(() => undefined);
  }

  /** Releases the run because another process took it over or its log cannot be written. */
  lose(
    thrown: unknown = new AgentError('internal.claim-lost', `Another process took over run ${this.runId}.`),
  ): void {
    const error = this.cleanError(interruptedBy(this.runId, thrown));
    this.#broken.resolve(error);
    if (isInterruption(error)) void this.kernel.live.release(this.journal);
    if (this.#isOver) return;
    this.#over();
    this.journal.close();
    this.top.detach(new AgentError(error.code, error.message));
    void this.#closeAll().finally(() => this.#settle({ why: 'broken', error }));
  }

  /** Checks for answers from other processes. If the run is being suspended, the suspension checks again. */
  async collectAnswers(): Promise<void> {
    this.#isNudged = true;
    if (!this.#isOver) await this.answers.collect();
  }

  /**
   * Called when a frame starts or stops working. Suspends the run if all of its work is waiting for the user.
   */
  readonly #onChange = (): void => {
    if (this.#isOver || this.#check !== undefined || !this.top.isWaiting) return;
    this.#check = setImmediate(() => {
      this.#check = undefined;
      if (!this.#isOver && this.top.isWaiting) void this.#suspend();
    });
  };

  /** Suspends a run that waits only for answers. A process that receives an answer can resume the run. */
  async #suspend(): Promise<void> {
    const questions = this.answers.open;
    this.#over();
    this.top.detach(new AgentError('usage.cancelled', 'The run is waiting for a person.'));
    const isNews = this.journal.events.at(-1)?.type !== 'run.waiting' || !this.journal.isUntouched;
    const written = isNews ? this.journal.add('', { type: 'run.waiting', questions }) : 0;
    this.journal.close();
    const loss = await this.#loss(written);
    await this.#closeAll();
    this.#settle(loss ?? (await Promise.race([this.#waiting(questions), this.#lost()])));
  }

  /** Resolves when the claim is lost or the store fails. */
  #lost(): Promise<Stop> {
    return this.#broken.promise.then((error) => ({ why: 'broken', error }));
  }

  /** Whether a suspended run is still waiting. Repeats the check if answers arrive in the meantime. */
  async #waiting(questions: readonly string[]): Promise<Stop> {
    try {
      do {
        this.#isNudged = false;
        if (await this.answers.areThere(questions)) return { why: 'answered' };
      } while (this.#isNudged as boolean);
      return { why: 'waiting' };
    } catch (thrown) {
      return { why: 'broken', error: this.cleanError(interruptedBy(this.runId, thrown)) };
    }
  }

  /** Waits until the last events are stored. If they cannot be stored, resolves to the reason. */
  async #loss(written: Promise<number> | number): Promise<Stop | undefined> {
    const end = await Promise.race([written, this.#lost()]);
    return typeof end === 'number' ? undefined : end;
  }

  #over(): void {
    this.#isOver = true;
    this.#deadline?.[Symbol.dispose]();
    clearImmediate(this.#check);
    this.#leftOpen = this.top.open;
  }

  async #closeAll(): Promise<void> {
    await Promise.all(
      [this.resources, ...this.#leftOpen.map(({ resources }) => resources)].map((one) => one.close()),
    );
  }

  /** Releases the run when the agent shuts down, so that it can be resumed. */
  readonly #release = (): void => {
    this.lose(this.kernel.closing.reason);
    this.kernel.live.addReleased(this.journal);
  };

  #settle(stop: Stop): void {
    this.kernel.closing.removeEventListener('abort', this.#release);
    this.kernel.live.delete(this);
    this.#stop.resolve(stop);
  }
}
