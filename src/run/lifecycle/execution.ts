import {
  AgentError,
  defaultSession,
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
import { Frame, type CallTarget } from '../calls/frame.ts';
import { Keeper } from '../calls/scoped-resources.ts';
import type { Kernel } from '../kernel.ts';
import { Journal, Turns, type Listener } from '../log/journal.ts';
import type { RunState } from '../log/run-state.ts';
import { cleanError, cleanKey, cleanOutput, cleanValue, failedOutput } from '../log/sanitize.ts';
import { Answers } from '../questions/answers.ts';
import { KnownMessages } from '../scope/sent-messages.ts';
import type { Worked } from './live-runs.ts';
import { callerEnded, divergedOutput, endsBelow, runDeadline, turnEntries } from './run-end.ts';
import { noSuchRun, type Stop } from './stop.ts';

/** How a run is taken up. */
export interface OpenRunOptions {
  /** What a new run begins with. */
  readonly begin?: RunStarted | undefined;
  /** Hears of every event, those of earlier processes first. */
  readonly listener?: Listener | undefined;
  /** The claim is taken only from whoever holds this one, and wrote no more. */
  readonly held?: Held | undefined;
}

/** One process at work on one run, from its claim until it ends, waits or is lost. */
export class Execution implements Worked {
  readonly kernel: Kernel;
  readonly journal: Journal;
  /** The skills as they were when this process took up the run. */
  readonly registry: Registry;
  /** What stands above the first frame: the run itself. */
  readonly top: Frame;
  /** The order in which skills learn what things came to. */
  readonly turns: Turns;
  readonly answers: Answers;
  /** The place of the last event that earlier processes wrote. */
  readonly takenUpAt: number;
  /** What models were asked. */
  readonly messages = new KnownMessages((value) => this.clean(value));
  /** What is kept for the length of the run. */
  readonly keeper = new Keeper();
  /** What was made on the way: a skill for its prompt, a summary for the next turn of its session. */
  readonly made: { adHoc?: CallTarget | undefined; summary?: string } = {};
  readonly stopped: Promise<Stop>;
  readonly #started: RunStarted;
  readonly #resolve: (stop: Stop) => void;
  readonly #broken = Promise.withResolvers<ErrorData>();
  #check: NodeJS.Immediate | undefined;
  #deadline: Disposable | undefined;
  #leftOpen: readonly Frame[] = [];
  #isNudged = false;
  #isOver = false;

  private constructor(kernel: Kernel, journal: Journal, started: RunStarted) {
    this.kernel = kernel;
    this.journal = journal;
    this.takenUpAt = journal.events.at(-1)?.seq ?? 0;
    this.#started = started;
    this.registry = kernel.registry();
    const budget = new Budget(started.limits, journal.state.spentBelow(''));
    const facts = { id: '', skill: undefined, inputHash: '', depth: 0, budget };
    this.top = new Frame(facts, undefined, this.#onChange);
    this.turns = new Turns(journal.state.started === undefined);
    this.answers = new Answers(journal, kernel.store, this.turns);
    const { promise, resolve } = Promise.withResolvers<Stop>();
    this.stopped = promise;
    this.#resolve = resolve;
    kernel.closing.addEventListener('abort', this.#leave);
  }

  /** Claims a run and takes it up where its log ends. */
  static async open(kernel: Kernel, runId: string, options: OpenRunOptions): Promise<Execution> {
    kernel.closing.throwIfAborted();
    const execution = await kernel.live.open(runId, () => Execution.#claim(kernel, runId, options));
    if (kernel.closing.aborted) execution.#leave(); // the agent was shut down meanwhile
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
      await store.remove([runId]); // the claim has made it
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
  get epoch(): Epoch {
    return this.journal.epoch;
  }
  /** How far it came. */
  get held(): Held {
    return { epoch: this.epoch, seq: this.journal.events.at(-1)?.seq ?? 0 };
  }
  get state(): RunState {
    return this.journal.state;
  }
  get session(): string {
    return this.state.started?.session ?? defaultSession;
  }

  /**
   * Records that work on the run begins, loads what was answered and starts its clock; false when the run is over or
   * cannot be worked on. Never settles once the run is let go of; `stopped` does.
   */
  async start(): Promise<boolean> {
    if (this.#isOver) return false;
    try {
      const { owner, version } = this.kernel;
      if (this.state.started === undefined) await this.top.follow(this.journal.add('', this.#started));
      else this.journal.lead({ type: 'run.resumed', owner, version }); // said only if something follows
      await this.top.follow(this.answers.load());
    } catch (thrown) {
      this.lose(thrown); // a store that fails says nothing about the run
      return false;
    }
    if (this.#isOver as boolean) return false; // it was cancelled at the same moment
    this.#deadline = runDeadline(this, (late) => void this.end('failed', failedOutput(late)));
    return true;
  }

  /** Ends the run with its output, once that is there. */
  async finish(answered: Promise<Output>): Promise<void> {
    try {
      const output = await this.top.settle(answered);
      await this.end(output.status, output);
    } catch (thrown) {
      await this.end('failed', failedOutput(this.cleanError(thrown)));
    }
  }

  /** A value as it may be kept and used: plain JSON without secrets. */
  clean(value: unknown): Json {
    return cleanValue(value, this.kernel.redact);
  }

  /** A failure as it may be kept and used. */
  cleanError(thrown: unknown): ErrorData {
    return cleanError(thrown, this.kernel.redact);
  }

  /** An output as it may be kept and used. */
  cleanOutput(output: unknown): Output {
    return cleanOutput(output, this.kernel.redact);
  }

  /** A name or key as it may be kept and used. */
  cleanKey(key: string): string {
    return cleanKey(key, this.kernel.redact);
  }

  /** Ends the run: marks every frame that is still open, and stops them. Tells whether it was not over already. */
  async end(status: RunEnd, output: Output): Promise<boolean> {
    if (this.#isOver) return false;
    const error = output.status === 'failed' ? output.error : callerEnded;
    this.#over();
    const ends = endsBelow(this.state, this.top, error);
    this.top.stop(new AgentError(error.code, error.message));
    const run = { type: 'run.ended', status, output } as const;
    const isUnknown = this.journal.isUntouched && this.state.started === undefined;
    const first = isUnknown ? [{ frameId: '', body: this.#started }] : [];
    const bodies = [...first, ...ends, { frameId: '', body: run }];
    const facts = { runId: this.runId, at: this.kernel.now(), ...this.made };
    const written = this.journal.addAll(bodies, turnEntries(this.#started, run, facts));
    this.journal.close();
    const loss = await this.#loss(written);
    await this.#closeAll();
    this.#settle(loss ?? { why: 'ended' });
    return loss === undefined;
  }

  /** Stops the run for good; tells whether it ended here. */
  async cancel(reason = 'The run was cancelled.'): Promise<boolean> {
    const cancelled = this.cleanError(new AgentError('usage.cancelled', reason));
    const isEnded = await this.end('cancelled', failedOutput(cancelled));
    await this.stopped;
    return isEnded;
  }

  /** Stops the whole run because its program is not the one that its log tells of; nothing runs again. */
  diverge(frame: Frame, key: string): Promise<never> {
    void this.end('failed', divergedOutput(frame.skill?.name ?? this.runId, key));
    return new Promise(() => undefined);
  }

  /** Lets go of the run: another process has it, or its log cannot be written. */
  lose(
    thrown: unknown = new AgentError('internal.overtaken', `Another process took over run ${this.runId}.`),
  ): void {
    const error = this.cleanError(thrown);
    this.#broken.resolve(error);
    if (this.#isOver) return;
    this.#over();
    this.journal.close();
    this.top.detach(new AgentError(error.code, error.message));
    void this.#closeAll().finally(() => this.#settle({ why: 'broken', error }));
  }

  /** Looks for answers that others have given; while the run is laid down, only remembers to. */
  async collectAnswers(): Promise<void> {
    this.#isNudged = true;
    if (!this.#isOver) await this.answers.collect();
  }

  /** Something ended or began to wait: when everything that could go on has had its turn, see whether anything does. */
  readonly #onChange = (): void => {
    if (this.#isOver || this.#check !== undefined || !this.top.isWaiting) return;
    this.#check = setImmediate(() => {
      this.#check = undefined;
      if (!this.#isOver && this.top.isWaiting) void this.#suspend();
    });
  };

  /** Only questions are open: closes everything and leaves the run to whoever has the answers. */
  async #suspend(): Promise<void> {
    const questions = this.answers.open;
    this.#over();
    this.top.detach(new AgentError('usage.cancelled', 'The run waits for a person.'));
    const isNews = this.journal.events.at(-1)?.type !== 'run.waiting' || !this.journal.isUntouched;
    const written = isNews ? this.journal.add('', { type: 'run.waiting', questions }) : 0;
    this.journal.close();
    const loss = await this.#loss(written);
    await this.#closeAll();
    this.#settle(loss ?? (await Promise.race([this.#waiting(questions), this.#lost()])));
  }

  /** Settles when the claim is lost or the store fails. */
  #lost(): Promise<Stop> {
    return this.#broken.promise.then((error) => ({ why: 'broken', error }));
  }

  /** Whether an answer came while the run was laid down; one that comes meanwhile is looked for again. */
  async #waiting(questions: readonly string[]): Promise<Stop> {
    try {
      do {
        this.#isNudged = false;
        if (await this.answers.areThere(questions)) return { why: 'answered' };
      } while (this.#isNudged as boolean);
      return { why: 'waiting' };
    } catch (thrown) {
      return { why: 'broken', error: this.cleanError(thrown) };
    }
  }

  /** Waits for the last events to be kept; what keeps them from it, if anything does. */
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
    await Promise.all([this.keeper, ...this.#leftOpen.map(({ keeper }) => keeper)].map((one) => one.close()));
  }

  /** The agent is shut down; the run stays to be resumed. */
  readonly #leave = (): void => {
    this.lose(this.kernel.closing.reason);
    this.kernel.live.leave(this.journal);
  };

  #settle(stop: Stop): void {
    this.kernel.closing.removeEventListener('abort', this.#leave);
    this.kernel.live.delete(this);
    this.#resolve(stop);
  }
}
