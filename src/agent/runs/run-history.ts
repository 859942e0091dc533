import {
  AgentError,
  optional,
  pause,
  shownSkillName,
  userKey,
  type Approval,
  type GivenTurn,
  type Json,
  type OpenQuestion,
  type Requester,
  type PromptIo,
  type RunEvent,
  type RunHandle,
  type RunOptions,
  type RunQuery,
  type RunResult,
  type RunSummary,
  type ShownQuestion,
  type Store,
} from '../../core/index.ts';
import type { RunAsker } from '../../run/lifecycle/rerun.ts';
import type { Stop } from '../../run/lifecycle/stop.ts';
import { readLog } from '../../run/log/read-log.ts';
import { newRunId } from '../../run/log/sanitize.ts';
import { isOwnerGone } from '../process-owner.ts';
import { forgetAnswers } from '../../run/questions/answers.ts';
import { storeGivenTurns } from '../../run/routing/conversation.ts';
import { forgetSteering } from '../../run/scope/steering.ts';
import { artifactsOf, foldRun, resultOf, type RunArtifact } from '../../views/index.ts';
import { sessionIdOf } from '../../sessions/session-options.ts';
import { askReader } from './ask-reader.ts';
import {
  findWaiting,
  isMeantFor,
  pendingApprovals,
  type PendingApproval,
  type WaitingQuestion,
} from './pending.ts';
import {
  cancelledBefore,
  checkSignal,
  createRunHandle,
  RunObserver,
  type RunServices,
} from './run-handle.ts';
import { currentRequest, submitRun } from './start-run.ts';

/** Options for resuming a run. */
export interface ResumeOptions {
  /** Overrides the agent's `io`. */
  readonly io?: PromptIo;
  /** Cancels the run when aborted. */
  readonly signal?: AbortSignal;
  /** Whether to take over the run from another process. That process can then no longer write to the run. */
  readonly takeOver?: boolean;
}

/** Options for rerunning an earlier run. */
export interface RerunOptions {
  /** The id of the new run. Default: a random id. */
  readonly id?: string;
  /** Overrides the agent's `io`. */
  readonly io?: PromptIo;
  /** Cancels the run when aborted. */
  readonly signal?: AbortSignal;
  /** Who starts the run again. Default: the new run has no user. */
  readonly asker?: RunAsker;
  /** The id of a frame in the earlier run. The new run reuses all results from before that frame began. */
  readonly from?: string;
}

const lookEvery = 150; // The time between two reads of the store, in milliseconds.

/** The runs in the store, including those of other processes. */
export class RunHistory {
  readonly #open: () => Promise<RunServices>;
  readonly #io: PromptIo;

  constructor(open: () => Promise<RunServices>, io: PromptIo = {}) {
    this.#open = open;
    this.#io = io;
  }

  /**
   * Records a request without executing it, and resolves to the id of its run. `resume` executes the run, in
   * any process with the same store.
   */
  submit({ io: _io, ...request }: RunOptions): Promise<string> {
    return submitRun(this.#open, currentRequest(request));
  }

  /** The store of the runs, in which a host program can keep its own values. */
  async store(): Promise<Store> {
    return (await this.#open()).store;
  }

  /** Lists runs, newest first. `query.user` is the id of a user. */
  async list(query: RunQuery = {}): Promise<readonly RunSummary[]> {
    const { store } = await this.#open();
    await releaseDead(store);
    return (await store.runs(storedQuery(query))).map(shownRun);
  }

  /**
   * Finds a run by its id or by a unique prefix of the id. Throws `usage.not-found` if there is no such run.
   */
  async find(id: string): Promise<RunSummary> {
    const { store } = await this.#open();
    await releaseDead(store);
    const [exact] = await store.runs({ ids: [id] });
    if (exact !== undefined) return shownRun(exact);
    const [first, second] = id === '' ? [] : await store.runs({ idPrefix: id, preparations: true, limit: 2 });
    if (first !== undefined && second === undefined) return shownRun(first);
    throw new AgentError(
      'usage.not-found',
      first === undefined ? `No run has the id ${id}.` : `Several run ids start with ${id}.`,
      { hint: 'List the runs: `skilled runs`' },
    );
  }

  /** Returns all events that a run has written so far. */
  async events(runId: string): Promise<readonly RunEvent[]> {
    const { store } = await this.#open();
    return readLog(store, runId);
  }

  /** Yields a run's events, including new ones, until the run ends or waits. */
  async *follow(runId: string): AsyncGenerator<RunEvent, void> {
    let last: RunEvent | undefined;
    for (;;) {
      for await (const event of this.#read(runId, (last?.seq ?? 0) + 1)) yield (last = event);
      if (last === undefined || last.type === 'run.ended' || last.type === 'run.waiting') return;
      const [run] = await this.list({ ids: [runId] });
      // The run was removed, or its process stopped working on it.
      if (run === undefined || run.status === 'interrupted') return;
      await pause(lookEvery);
    }
  }

  /** Returns a run's current result, which is incomplete until the run ends. */
  async result(runId: string): Promise<RunResult> {
    const { id, status } = await this.find(runId);
    const result = resultOf(foldRun(await this.events(id)));
    // The log of a run that was interrupted ends as if the run were still in progress.
    return status === 'interrupted' && result.status === 'running' ? { ...result, status } : result;
  }

  /** Returns the artifacts that a run's skills have stored, oldest first. */
  async artifacts(runId: string): Promise<readonly RunArtifact[]> {
    const { id } = await this.find(runId);
    return artifactsOf(await this.events(id));
  }

  /** Answers the question with this id or, without an id, the oldest question that asks for input. */
  async answer(runId: string, answer: Json, questionId?: string, by?: Requester): Promise<void> {
    const { runs } = await this.#open();
    await runs.answer(runId, answer, questionId, by);
  }

  /** Sends a message to a run in progress. The next model step of the outermost loop receives the message. */
  async steer(runId: string, text: string): Promise<void> {
    await (await this.#open()).runs.steer(runId, text);
  }

  /**
   * Returns the question that a session's next prompt, or `prompt` if that is passed, would answer. Returns
   * undefined if no question is waiting or `prompt` is a new request. The result does not apply to prompts
   * that name a skill. While the question that was `shown` to the user is open, it takes precedence.
   */
  async waitingIn(
    session?: string | null,
    prompt?: string,
    shown?: ShownQuestion,
  ): Promise<WaitingQuestion | undefined> {
    const services = await this.#open();
    const { next } = await findWaiting(services, sessionIdOf(session), { prompt, question: shown });
    const isOther = next !== undefined && prompt !== undefined && !isMeantFor(next, prompt, services);
    return isOther ? undefined : next;
  }

  /** Whether the text answers the waiting question. Otherwise, it is a new request. */
  async isAnswer(runId: string, question: OpenQuestion, text: string): Promise<boolean> {
    return (await this.#open()).runs.isAnswer(runId, question, text);
  }

  /** Begins a session with turns that took place elsewhere. A session that has turns stays as it is. */
  async giveTurns(session: string, turns: readonly GivenTurn[]): Promise<void> {
    await storeGivenTurns(await this.#open(), session, turns);
  }

  /** Returns the pending approvals of all runs, or of those of a user, oldest first. */
  async pending(query: Pick<RunQuery, 'ids' | 'user'> = {}): Promise<readonly PendingApproval[]> {
    return pendingApprovals(await this.store(), Date.now(), storedQuery(query));
  }

  /** Responds to a pending approval: allows the call, or denies it with a reason. */
  async approve(runId: string, questionId: string, approval: Approval, by?: Requester): Promise<void> {
    await this.answer(runId, approval, questionId, by);
  }

  /**
   * Continues a run that is waiting or was interrupted. If another process is working on the run, only
   * follows the run, unless `takeOver` is set.
   */
  resume(runId: string, options: ResumeOptions = {}): RunHandle {
    const observer = new RunObserver(runId, options.signal);
    return createRunHandle(observer, '', this.#open, this.#resume(observer, options));
  }

  /**
   * Starts a new run with the request of an earlier run. If `from` names a frame, the new run reuses
   * everything that ended before that frame began.
   */
  rerun(earlier: string, options: RerunOptions = {}): RunHandle {
    const observer = new RunObserver(options.id ?? newRunId(), options.signal);
    return createRunHandle(observer, '', this.#open, this.#rerun(observer, earlier, options));
  }

  /** Ends a run, no matter which process is working on it. Resolves to true if the run was still open. */
  async cancel(runId: string, reason?: string, by?: Requester): Promise<boolean> {
    const { runs } = await this.#open();
    return runs.cancel(runId, reason, by);
  }

  /**
   * Deletes runs and returns how many were deleted. Throws `usage.bad-input` if one of them is still running.
   */
  async remove(...runIds: readonly string[]): Promise<number> {
    const { store } = await this.#open();
    await releaseDead(store);
    const [alive] = await store.runs({ ids: runIds, status: ['running'] });
    if (alive !== undefined) {
      throw new AgentError('usage.bad-input', `Run ${alive.id} is still running.`, {
        hint: `Cancel it first: \`skilled runs cancel ${alive.id}\``,
      });
    }
    for (const id of runIds) {
      await forgetAnswers(store, id);
      await forgetSteering(store, id);
    }
    return store.remove(runIds);
  }

  async #resume(observer: RunObserver, options: ResumeOptions): Promise<Stop> {
    const { id, listener, signal } = observer;
    const { takeOver = false } = options;
    checkSignal(options.signal);
    if (signal.aborted) throw cancelledBefore();
    const services = await this.#open();
    const { runs, store } = services;
    await releaseDead(store);
    const { io = this.#io } = options;
    observer.write = io.outputWriter;
    await observer.follow(id, store);
    return await askReader(services, observer, await runs.resume(id, { listener, signal, takeOver }), { io });
  }

  async #rerun(observer: RunObserver, earlier: string, options: RerunOptions): Promise<Stop> {
    const { id, listener, signal } = observer;
    const { from, asker } = options;
    checkSignal(options.signal);
    if (signal.aborted) throw cancelledBefore();
    const services = await this.#open();
    const { io = this.#io } = options;
    observer.write = io.outputWriter;
    const stop = await services.runs.rerun(id, earlier, from, {
      listener,
      signal,
      ...optional('asker', asker),
    });
    return await askReader(services, observer, stop, { io });
  }

  async *#read(runId: string, from: number): AsyncGenerator<RunEvent, void> {
    const { store } = await this.#open();
    yield* store.read(runId, from);
  }
}

/** Returns a query in the form of the store, which knows users by a pseudonymous value. */
function storedQuery({ user, ...query }: RunQuery): RunQuery {
  return user === undefined ? query : { ...query, user: userKey(user) ?? '' };
}

/** Returns a run's summary with the current name of its skill. */
function shownRun(run: RunSummary): RunSummary {
  return { ...run, skill: shownSkillName(run.skill) };
}

/**
 * Releases the claims of processes that have definitely ended, so that their runs are immediately reported as
 * interrupted. Other runs are reported as interrupted only after their process has sent no heartbeat for a
 * while.
 */
export async function releaseDead(store: Store): Promise<void> {
  const running = await store.runs({ status: ['running'], preparations: true, limit: Infinity });
  const dead = running.filter(({ owner }) => isOwnerGone(owner));
  if (dead.length > 0) await store.release(new Map(dead.map(({ id, epoch }) => [id, epoch])));
}
