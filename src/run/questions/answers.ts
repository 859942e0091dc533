import {
  optional,
  timer,
  type ApprovalRequest,
  type EventBody,
  type Json,
  type Store,
} from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Journal, Turns } from '../log/journal.ts';
import type { StepOutcome } from '../log/run-state.ts';
import { leaveKeys, leaveOf } from '../permissions/approvals.ts';

/** Where the answers to the questions of a run are left. */
export function answerSpace(runId: string): string {
  return `answers/${runId}`;
}

/** Takes away the answers of a run that is to be forgotten. */
export async function forgetAnswers(store: Store, runId: string): Promise<void> {
  await store.clear(answerSpace(runId));
}

/** When nobody can answer a question any more, and what it comes to then. */
export interface Expiry {
  /** Milliseconds from now. */
  readonly after: number;
  readonly outcome: StepOutcome;
}

/** What is done with an answer. */
export interface Awaiting {
  /** What the log says of it. */
  readonly resolved: (outcome: StepOutcome) => EventBody;
  /** Questions under the same leave are decided together when a person gives it. */
  readonly asks?: ApprovalRequest;
  /** It stays open unless given. */
  readonly expiry?: Expiry;
}

interface Pending extends Awaiting {
  readonly frame: Frame;
  readonly deadline?: Disposable;
  readonly close: () => void;
  readonly resolve: (outcome: StepOutcome) => void;
}

/** The open questions of a run, and the answers to them wherever they were given. */
export class Answers {
  readonly #journal: Journal;
  readonly #store: Store;
  readonly #turns: Turns;
  readonly #pending = new Map<string, Pending>();
  #given: ReadonlyMap<string, Json> = new Map();

  constructor(journal: Journal, store: Store, turns: Turns) {
    this.#journal = journal;
    this.#store = store;
    this.#turns = turns;
  }

  /** The ids of the open questions, oldest first. */
  get open(): readonly string[] {
    return [...this.#pending].filter(([, { frame }]) => !frame.isEnded).map(([id]) => id);
  }

  /** Reads the answers that were given while nobody worked on the run. */
  async load(): Promise<void> {
    this.#given = await this.#store.entries(answerSpace(this.#journal.runId));
  }

  /** Waits for the answer to a question that stands in the log; one that was given in time counts also later. */
  wait(frame: Frame, id: string, awaiting: Awaiting): Promise<StepOutcome> {
    const { promise, resolve } = Promise.withResolvers<StepOutcome>();
    const { expiry, ...rest } = awaiting;
    const expire = (): void => void (expiry && this.#deliver(id, expiry.outcome));
    const deadline = expiry === undefined ? undefined : timer(expiry.after, expire, frame.signal);
    const pending = {
      ...rest,
      frame,
      close: frame.openQuestion(),
      resolve,
      ...optional('deadline', deadline),
    };
    this.#pending.set(id, pending);
    const given = this.#given.get(id);
    if (given !== undefined) void this.#deliver(id, { value: given });
    else if (expiry !== undefined && expiry.after <= 0) expire();
    return frame.follow(promise);
  }

  /** Looks for answers to the open questions. */
  async collect(): Promise<void> {
    if (this.#pending.size === 0) return;
    await this.load();
    for (const [id, value] of this.#given) if (this.#pending.has(id)) void this.#deliver(id, { value });
  }

  /** Whether one of these questions has an answer that was not used. */
  async areThere(questions: readonly string[]): Promise<boolean> {
    await this.load();
    return questions.some((id) => this.#given.has(id));
  }

  /** The answer is taken away as it enters the log, so that it counts once. */
  async #deliver(id: string, outcome: StepOutcome): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined || !pending.frame.isLive) return; // a frame that was let go of uses it later
    this.#pending.delete(id);
    const { frame, close, resolved, resolve, asks, deadline } = pending;
    deadline?.[Symbol.dispose]();
    const taken = { space: answerSpace(this.#journal.runId), key: id, value: undefined };
    const written = frame.busy(async () =>
      this.#turns.inTurn(await this.#journal.add(frame.id, resolved(outcome), [taken])),
    );
    close();
    await written.then(
      () => {
        resolve(outcome);
        if (asks !== undefined) this.#deliverLeave(leaveOf(asks, outcome.value));
      },
      () => undefined, // the frame was stopped, and whoever asked knows
    );
  }

  /** What a person allowed for longer is asked nowhere any more. */
  #deliverLeave(leave: string | undefined): void {
    if (leave === undefined) return;
    for (const [id, { asks }] of this.#pending) {
      const { run, lasting } = asks === undefined ? {} : leaveKeys(asks);
      if (run === leave || lasting === leave) void this.#deliver(id, { value: { allow: 'once' } });
    }
  }
}
