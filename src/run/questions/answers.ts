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
import { approvalKeys, grantedKey } from '../permissions/approvals.ts';

/** Returns the name of the store space for the answers to a run's questions. */
export function answerSpace(runId: string): string {
  return `answers/${runId}`;
}

/** Deletes the answers of a run that is being removed. */
export async function forgetAnswers(store: Store, runId: string): Promise<void> {
  await store.clear(answerSpace(runId));
}

/** The expiry of a question, and the outcome if it expires. */
export interface Expiry {
  /** The time until expiry, in milliseconds from now. */
  readonly after: number;
  readonly outcome: StepOutcome;
}

/** The data needed to wait for an answer to a question and to record the outcome. */
export interface Awaiting {
  /** Creates the event to record for an outcome. */
  readonly resolved: (outcome: StepOutcome) => EventBody;
  /** The approval request. A grant from the user decides all approval requests that it covers. */
  readonly asks?: ApprovalRequest;
  /** The expiry of the question. If absent, the question stays open. */
  readonly expiry?: Expiry;
}

interface Pending extends Awaiting {
  readonly frame: Frame;
  readonly deadline?: Disposable;
  readonly close: () => void;
  readonly resolve: (outcome: StepOutcome) => void;
}

/** A run's open questions and their answers, regardless of the process that received the answers. */
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

  /** Reads the answers that were given while no process worked on the run. */
  async load(): Promise<void> {
    this.#given = await this.#store.entries(answerSpace(this.#journal.runId));
  }

  /** Waits for the answer to a recorded question. An answer given in time counts even if it is read later. */
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

  /** Checks for answers to the open questions. */
  async collect(): Promise<void> {
    if (this.#pending.size === 0) return;
    await this.load();
    for (const [id, value] of this.#given) if (this.#pending.has(id)) void this.#deliver(id, { value });
  }

  /** Whether any of the given questions has an unused answer. */
  async areThere(questions: readonly string[]): Promise<boolean> {
    await this.load();
    return questions.some((id) => this.#given.has(id));
  }

  /** Delivers an answer exactly once: a single write deletes the answer and logs its outcome. */
  async #deliver(id: string, outcome: StepOutcome): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined || !pending.frame.isLive) return; // A later process delivers the answer.
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
        if (asks !== undefined) this.#deliverApproval(grantedKey(asks, outcome.value));
      },
      () => undefined, // the frame was stopped, and the asking code knows that
    );
  }

  /** Approves all open approval requests that a grant covers. */
  #deliverApproval(granted: string | undefined): void {
    if (granted === undefined) return;
    for (const [id, { asks }] of this.#pending) {
      const { run, lasting } = asks === undefined ? {} : approvalKeys(asks);
      if (run === granted || lasting === granted) void this.#deliver(id, { value: { allow: 'once' } });
    }
  }
}
