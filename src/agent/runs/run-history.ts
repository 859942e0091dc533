import {
  AgentError,
  defaultSession,
  pause,
  type Approval,
  type Json,
  type OpenQuestion,
  type RunEvent,
  type RunHandle,
  type RunQuery,
  type RunResult,
  type RunSummary,
} from '../../core/index.ts';
import type { Stop } from '../../run/lifecycle/stop.ts';
import { readLog } from '../../run/log/read-log.ts';
import { newRunId } from '../../run/log/sanitize.ts';
import { forgetAnswers } from '../../run/questions/answers.ts';
import { forgetSteering } from '../../run/scope/steering.ts';
import { artifactsOf, foldRun, resultOf, type RunArtifact } from '../../views/index.ts';
import {
  findWaiting,
  isMeantFor,
  pendingApprovals,
  type PendingApproval,
  type WaitingQuestion,
} from './pending.ts';
import { cancelledBefore, createRunHandle, RunObserver, type RunServices } from './run-handle.ts';

/** How a run is taken up again. */
export interface ResumeOptions {
  readonly signal?: AbortSignal;
  /** Also while another process works on it, which then cannot write any more. */
  readonly takeOver?: boolean;
}

/** How an earlier run is run anew. */
export interface RerunOptions {
  readonly signal?: AbortSignal;
  /** The id of a frame of the earlier run. */
  readonly from?: string;
}

const lookEvery = 150; // milliseconds

/** The runs that the store knows, those of other processes included. */
export class RunHistory {
  readonly #open: () => Promise<RunServices>;

  constructor(open: () => Promise<RunServices>) {
    this.#open = open;
  }

  /** Newest first. */
  async list(query: RunQuery = {}): Promise<readonly RunSummary[]> {
    const { store } = await this.#open();
    return store.runs(query);
  }

  /** The run that an id, or the beginning of one, stands for; throws `usage.not-found`. */
  async find(id: string): Promise<RunSummary> {
    const { store } = await this.#open();
    const [exact] = await store.runs({ ids: [id] });
    if (exact !== undefined) return exact;
    const [first, second] = id === '' ? [] : await store.runs({ idPrefix: id, preparations: true, limit: 2 });
    if (first !== undefined && second === undefined) return first;
    throw new AgentError(
      'usage.not-found',
      first === undefined ? `There is no run ${id}.` : `Several runs begin with ${id}.`,
      { hint: 'List the runs that there are: `skilled runs`' },
    );
  }

  /** All events of a run so far. */
  async events(runId: string): Promise<readonly RunEvent[]> {
    const { store } = await this.#open();
    return readLog(store, runId);
  }

  /** The events of a run, and those to come until it ends or waits. */
  async *follow(runId: string): AsyncGenerator<RunEvent, void> {
    let last: RunEvent | undefined;
    for (;;) {
      for await (const event of this.#read(runId, (last?.seq ?? 0) + 1)) yield (last = event);
      if (last === undefined || last.type === 'run.ended' || last.type === 'run.waiting') return;
      const [run] = await this.list({ ids: [runId] });
      if (run === undefined || run.status === 'interrupted') return; // it was removed, or nobody works on it
      await pause(lookEvery);
    }
  }

  /** What a run came to so far. */
  async result(runId: string): Promise<RunResult> {
    const { id } = await this.find(runId);
    return resultOf(foldRun(await this.events(id)));
  }

  /** What the skills of a run made and kept, oldest first. */
  async artifacts(runId: string): Promise<readonly RunArtifact[]> {
    const { id } = await this.find(runId);
    return artifactsOf(await this.events(id));
  }

  /** Answers a question of a run: the one with this id, or the oldest that asks for input. */
  async answer(runId: string, answer: Json, questionId?: string): Promise<void> {
    const { runs } = await this.#open();
    await runs.answer(runId, answer, questionId);
  }

  /** Says something to a run that goes on: it joins the conversation at the next model step of the outermost loop. */
  async steer(runId: string, text: string): Promise<void> {
    const { runs } = await this.#open();
    await runs.steer(runId, text);
  }

  /** The question that the next prompt of a session answers, or this one, unless it names a skill; undefined where none waits, or it is a request of its own. */
  async waitingIn(session: string = defaultSession, prompt?: string): Promise<WaitingQuestion | undefined> {
    const works = await this.#open();
    const { next } = await findWaiting(works, session, { prompt });
    const isOther = next !== undefined && prompt !== undefined && !isMeantFor(next, prompt, works);
    return isOther ? undefined : next;
  }

  /** Whether words that are said while a question of a run waits answer it, and are no request of their own. */
  async isAnswer(runId: string, question: OpenQuestion, words: string): Promise<boolean> {
    const { runs } = await this.#open();
    return runs.isAnswer(runId, question, words);
  }

  /** What people are to decide in all runs, oldest first. */
  async pending(): Promise<readonly PendingApproval[]> {
    const { store } = await this.#open();
    return pendingApprovals(store, Date.now());
  }

  /** Decides whether a call may happen that a run waits for. */
  async approve(runId: string, questionId: string, approval: Approval): Promise<void> {
    await this.answer(runId, approval, questionId);
  }

  /** Works on a run that waits or was interrupted; one that another process works on is only followed, unless it is taken over. */
  resume(runId: string, options: ResumeOptions = {}): RunHandle {
    const observer = new RunObserver(runId, options.signal);
    return createRunHandle(observer, '', this.#open, this.#resume(observer, options));
  }

  /** Begins a new run with the request of an earlier one; with `from`, what had ended before that frame began is reused. */
  rerun(earlier: string, options: RerunOptions = {}): RunHandle {
    const observer = new RunObserver(newRunId(), options.signal);
    return createRunHandle(observer, '', this.#open, this.#rerun(observer, earlier, options.from));
  }

  /** Ends a run, wherever it goes on; tells whether it was open. */
  async cancel(runId: string, reason?: string): Promise<boolean> {
    const { runs } = await this.#open();
    return runs.cancel(runId, reason);
  }

  /** Forgets runs; one that goes on is not forgotten but `usage.bad-input`. */
  async remove(...runIds: readonly string[]): Promise<number> {
    const { store } = await this.#open();
    const [alive] = await store.runs({ ids: runIds, status: ['running'] });
    if (alive !== undefined) {
      throw new AgentError('usage.bad-input', `Run ${alive.id} goes on.`, {
        hint: `Cancel it first: \`skilled runs cancel ${alive.id}\``,
      });
    }
    for (const id of runIds) {
      await forgetAnswers(store, id);
      await forgetSteering(store, id);
    }
    return store.remove(runIds);
  }

  async #resume(observer: RunObserver, { takeOver = false }: ResumeOptions): Promise<Stop> {
    const { id, listener, signal } = observer;
    if (signal.aborted) throw cancelledBefore();
    const { runs } = await this.#open();
    return await runs.resume(id, { listener, signal, takeOver });
  }

  async #rerun(observer: RunObserver, earlier: string, from: string | undefined): Promise<Stop> {
    const { id, listener, signal } = observer;
    if (signal.aborted) throw cancelledBefore();
    const { runs } = await this.#open();
    return await runs.rerun(id, earlier, from, { listener, signal });
  }

  async *#read(runId: string, from: number): AsyncGenerator<RunEvent, void> {
    const { store } = await this.#open();
    yield* store.read(runId, from);
  }
}
