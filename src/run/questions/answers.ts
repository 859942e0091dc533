import {
  isJsonObject,
  optional,
  timer,
  type Actor,
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

const mark = '$given'; // No answer that is stored as it is has this field.

/** Returns the stored form of an answer: the answer itself or, if it is known who gave it, both. */
export function toStored(answer: Json, actor: Actor | undefined): Json {
  const isMarked = isJsonObject(answer) && Object.hasOwn(answer, mark);
  if (actor === undefined && !isMarked) return answer;
  return { [mark]: true, answer, ...optional('actor', actor && { ...actor }) };
}

/** Returns the answer that a stored value contains, and who gave it. */
export function fromStored(stored: Json): { readonly answer: Json; readonly actor?: Actor } {
  if (!isJsonObject(stored) || !Object.hasOwn(stored, mark)) return { answer: stored };
  const { answer = null, actor } = stored;
  return { answer, ...(isJsonObject(actor) ? { actor } : {}) };
}

/** The expiry of a question, and the outcome if it expires. */
export interface Expiry {
  /** The time until expiry, in milliseconds from now. */
  readonly after: number;
  readonly outcome: StepOutcome;
}

/** Options for waiting for an answer and recording the outcome. */
export interface Awaiting {
  /** Creates the event that records an outcome. */
  readonly resolved: (outcome: StepOutcome) => EventBody;
  /**
   * Set for an approval request. If the user's answer is a grant, it resolves every approval request that the
   * grant covers.
   */
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

/** The open questions of a run. Any process can receive the answers. */
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

  /** Reads the answers that were stored while no process worked on the run. */
  async load(): Promise<void> {
    this.#given = await this.#store.entries(answerSpace(this.#journal.runId));
  }

  /**
   * Waits for the answer to a recorded question. An answer that was given in time is accepted even if it is
   * read later.
   */
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
    if (given !== undefined) this.#deliverStored(id, given);
    else if (expiry !== undefined && expiry.after <= 0) expire();
    return frame.follow(promise);
  }

  /** Checks whether the open questions have been answered. */
  async collect(): Promise<void> {
    if (this.#pending.size === 0) return;
    await this.load();
    for (const [id, stored] of this.#given) if (this.#pending.has(id)) this.#deliverStored(id, stored);
  }

  /** Whether one of these questions has an unused answer. */
  async areThere(questions: readonly string[]): Promise<boolean> {
    await this.load();
    return questions.some((id) => this.#given.has(id));
  }

  #deliverStored(id: string, stored: Json): void {
    const { answer, actor } = fromStored(stored);
    void this.#deliver(id, { value: answer }, actor);
  }

  /** Delivers an answer exactly once. A single write deletes the answer and logs the outcome. */
  async #deliver(id: string, outcome: StepOutcome, actor?: Actor): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined || !pending.frame.isLive) return; // A later process will deliver the answer.
    this.#pending.delete(id);
    const { frame, close, resolved, resolve, asks, deadline } = pending;
    deadline?.[Symbol.dispose]();
    const taken = { space: answerSpace(this.#journal.runId), key: id, value: undefined };
    const body = { ...resolved(outcome), ...optional('actor', actor) };
    const written = frame.busy(async () =>
      this.#turns.inTurn(await this.#journal.add(frame.id, body, [taken])),
    );
    close();
    await written.then(
      () => {
        resolve(outcome);
        if (asks !== undefined) this.#deliverApproval(grantedKey(asks, outcome.value), actor);
      },
      () => undefined, // The frame was stopped, and the code that asked is notified separately.
    );
  }

  /** Approves all open approval requests that a grant covers. */
  #deliverApproval(granted: string | undefined, actor: Actor | undefined): void {
    if (granted === undefined) return;
    for (const [id, { asks }] of this.#pending) {
      const { run, lasting } = asks === undefined ? {} : approvalKeys(asks);
      if (run === granted || lasting === granted) void this.#deliver(id, { value: { allow: 'once' } }, actor);
    }
  }
}
