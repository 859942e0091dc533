import { AgentError, toErrorData, type ErrorData } from '../core/error.ts';
import type { EventBody, RunStarted } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import type { Output } from '../core/output.ts';
import type { RunEnd } from '../core/run.ts';
import { defaultSession } from '../core/session.ts';
import type { Epoch } from '../core/store.ts';
import type { Registry } from '../skills/registry.ts';
import { Answers } from './answers.ts';
import { Budget, overLimit } from './budget.ts';
import { cleanOutput, cleanValue, failedOutput } from './clean.ts';
import { Frame } from './frame.ts';
import { Journal, type Listener } from './journal.ts';
import { Keeper } from './keep.ts';
import type { Kernel } from './kernel.ts';
import type { Worked } from './live.ts';
import type { RunState } from './state.ts';
import { timer } from './timer.ts';

/** Why a process works on a run no longer: it ended, it waits for a person, an answer came meanwhile, or it cannot go on. */
export type Stop =
  { readonly why: 'ended' | 'waiting' | 'answered' } | { readonly why: 'broken'; readonly error: ErrorData };

/** One process at work on one run, from its claim until it ends, waits or is lost. */
export class Execution implements Worked {
  readonly kernel: Kernel;
  readonly journal: Journal;
  /** The skills as they were when this process took up the run. */
  readonly registry: Registry;
  /** What stands above the first frame: the run itself. */
  readonly top: Frame;
  readonly answers: Answers;
  /** What is kept for the length of the run. */
  readonly keeper = new Keeper();
  readonly stopped: Promise<Stop>;
  readonly #resolve: (stop: Stop) => void;
  readonly #broken = Promise.withResolvers<ErrorData>();
  #check: NodeJS.Immediate | undefined;
  #deadline: Disposable | undefined;
  #leftOpen: readonly Frame[] = [];
  #isOver = false;

  private constructor(kernel: Kernel, journal: Journal, started: RunStarted) {
    this.kernel = kernel;
    this.journal = journal;
    this.registry = kernel.registry();
    const budget = new Budget(started.limits, journal.state.spentBelow(''));
    const facts = { id: '', skill: undefined, inputHash: '', depth: 0, budget };
    this.top = new Frame(facts, undefined, () => {
      this.#onChange();
    });
    this.answers = new Answers(journal, kernel.store);
    const { promise, resolve } = Promise.withResolvers<Stop>();
    this.stopped = promise;
    this.#resolve = resolve;
  }

  /** Claims a run and takes it up where its log ends; `begin` is what a new run begins with. */
  static async open(
    kernel: Kernel,
    runId: string,
    begin?: RunStarted,
    listener?: Listener,
  ): Promise<Execution> {
    const { store, owner, now } = kernel;
    const onBroken = (thrown: unknown): void => {
      execution.lose(thrown);
    };
    const journal = await Journal.open(runId, { store, owner, now, onBroken });
    const started = journal.state.started ?? begin;
    if (started === undefined) {
      await store.remove([runId]); // the claim has made it
      throw new AgentError('usage.not-found', `There is no run ${runId}.`, {
        hint: 'List the runs that there are.',
      });
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
  get state(): RunState {
    return this.journal.state;
  }
  get session(): string {
    return this.state.started?.session ?? defaultSession;
  }

  /** Works until the run ends, waits or is lost. */
  work(begin: RunStarted | undefined, task: () => Promise<Output>): Promise<Stop> {
    this.kernel.live.add(this);
    void this.#drive(begin, task);
    return this.stopped;
  }

  /** Never settles once the run is let go of; `stopped` does. */
  async #drive(begin: RunStarted | undefined, task: () => Promise<Output>): Promise<void> {
    const isNew = this.state.started === undefined && begin !== undefined;
    const first: EventBody = isNew ? begin : { type: 'run.resumed', owner: this.kernel.owner };
    try {
      await this.top.follow(this.journal.add('', first));
      await this.answers.load();
      this.#startClock();
      const output = await this.top.follow(task());
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
    return cleanValue(toErrorData(thrown), this.kernel.redact) as unknown as ErrorData;
  }

  /** An output as it may be kept and used. */
  cleanOutput(output: unknown): Output {
    try {
      return cleanOutput(output, this.kernel.redact);
    } catch (thrown) {
      return failedOutput(this.cleanError(thrown));
    }
  }

  /** Ends the run: marks every frame that is still open, and stops them. */
  async end(status: RunEnd, output: Output): Promise<void> {
    if (this.#isOver) return;
    const error = output.status === 'failed' ? output.error : callerEnded;
    const open = this.top.open.filter((frame) => frame !== this.top && !frame.isEnded);
    this.#over();
    this.top.stop(new AgentError(error.code, error.message));
    const ended = open.map((frame) => endOf(frame, error));
    const run: EventBody = { type: 'run.ended', status, output };
    const written = this.journal.addAll([...ended, { frameId: '', body: run }]);
    this.journal.close();
    await this.#close((await this.#loss(written)) ?? { why: 'ended' });
  }

  /** Stops the run for good. */
  async cancel(reason = 'The run was cancelled.'): Promise<void> {
    await this.end(
      'cancelled',
      failedOutput({ code: 'usage.cancelled', message: this.kernel.redact(reason) }),
    );
    await this.stopped;
  }

  /** Stops the whole run because its program is not the one that its log tells of; nothing runs again. */
  diverge(frame: Frame, key: string): Promise<never> {
    const message = `"${frame.skill?.name ?? this.runId}" asks for something else under "${key}" than before the interruption.`;
    const hint = 'Its code changed, or depends on time or chance outside of steps. Run it anew.';
    void this.end('failed', failedOutput({ code: 'internal.diverged', message, hint }));
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
    void this.#close({ why: 'broken', error });
  }

  /** Looks for answers that others have given. */
  async collectAnswers(): Promise<void> {
    if (!this.#isOver) await this.answers.collect();
  }

  /** Something ended or began to wait: when everything that could go on has had its turn, see whether anything does. */
  #onChange(): void {
    if (this.#isOver || this.#check !== undefined || !this.top.isWaiting) return;
    this.#check = setImmediate(() => {
      this.#check = undefined;
      if (!this.#isOver && this.top.isWaiting) void this.#suspend();
    });
  }

  /** Only questions are open: closes everything and leaves the run to whoever has the answers. */
  async #suspend(): Promise<void> {
    this.#over();
    this.top.detach(new AgentError('usage.cancelled', 'The run waits for a person.'));
    const written = this.journal.add('', { type: 'run.waiting', questions: this.answers.open });
    this.journal.close();
    const loss = await this.#loss(written);
    await this.#close(loss ?? { why: (await this.answers.areThere()) ? 'answered' : 'waiting' });
  }

  /** Waits for the last events to be kept; what keeps them from it, if anything does. */
  async #loss(written: Promise<void>): Promise<Stop | undefined> {
    const error = await Promise.race([written, this.#broken.promise]);
    return error === undefined ? undefined : { why: 'broken', error };
  }

  #startClock(): void {
    const { runSeconds } = this.top.budget.limits;
    const left = runSeconds * 1000 - this.state.activeSince(0);
    const stop = (): void => {
      const { code, message, hint } = overLimit('limit.time', `${runSeconds} seconds`, 'runSeconds');
      void this.end('failed', failedOutput({ code, message, ...(hint === undefined ? {} : { hint }) }));
    };
    this.#deadline = timer(left, stop);
  }

  #over(): void {
    this.#isOver = true;
    this.#deadline?.[Symbol.dispose]();
    clearImmediate(this.#check);
    this.#leftOpen = this.top.open;
  }

  async #close(stop: Stop): Promise<void> {
    await Promise.all([this.keeper, ...this.#leftOpen.map(({ keeper }) => keeper)].map((one) => one.close()));
    this.kernel.live.delete(this);
    this.#resolve(stop);
  }
}

const callerEnded: ErrorData = { code: 'usage.cancelled', message: 'Its caller ended before it.' };

/** The end of a frame that did not reach its own; from here on nobody else writes one. */
export function endOf(frame: Frame, error: ErrorData): { frameId: string; body: EventBody } {
  frame.isEnded = true;
  return { frameId: frame.id, body: { type: 'frame.ended', output: failedOutput(error) } };
}
