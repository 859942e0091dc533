import type {
  AgentError,
  CallOptions,
  Family,
  Json,
  LoadedTools,
  RunAccess,
  Skill,
} from '../../core/index.ts';
import type { KnownMessage } from '../scope/sent-messages.ts';
import type { Budget } from './budget.ts';
import { ScopedResources } from './scoped-resources.ts';

/** Data about a frame that is about to be opened. */
interface FrameFacts {
  /** The frame's id. Empty for the run itself, which is the parent of the first frame. */
  readonly id: string;
  readonly skill: Skill | undefined;
  /** The call's input. Absent for the run itself. */
  readonly input?: Json;
  /** A hash that distinguishes calls by their input. */
  readonly inputHash: string;
  readonly depth: number;
  readonly budget: Budget;
  readonly options?: CallOptions;
  /** The restrictions of the run. Only for the frame of the run itself. */
  readonly access?: RunAccess | undefined;
}

/** A skill that a conversation loaded, with the tools that the skill listed at that time. */
export interface LoadedSkillTools {
  readonly skill: Pick<Skill, 'name' | 'file'>;
  readonly tools: LoadedTools;
}

/** An operation that has begun but not ended. */
interface UnderWay {
  /** The request's hash. */
  readonly request: string;
  readonly outcome: Promise<unknown>;
}

/** A running call, with its position in the call tree and its operations in progress. */
export class Frame {
  readonly id: string;
  readonly skill: Skill | undefined;
  readonly input: Json | undefined;
  readonly inputHash: string;
  readonly depth: number;
  readonly budget: Budget;
  readonly options: CallOptions;
  readonly parent: Frame | undefined;
  /** The restrictions of the run. The same for all frames of a run. */
  readonly access: RunAccess | undefined;
  /** The unchanged skills that the conversation has loaded, most recent last. */
  readonly active = new Set<Skill>();
  /**
   * The tools that loaded skills listed, keyed by skill name and version. These lists restrict the
   * conversation.
   */
  readonly loaded = new Map<string, LoadedSkillTools>();
  /** The files that the frame's calls have used. The paths are as the calls reported them. */
  readonly touched = new Set<string>();
  /** The files and folders of the skills that were added to the frame's prompt. */
  readonly given = new Set<string>();
  /** The skills provided only to this frame, keyed by name. */
  readonly provided = new Map<string, CallTarget>();
  /** The digests of the files that the frame's processes ran from. */
  readonly ran = new Set<string>();
  readonly children = new Set<Frame>();
  /** The values that the call has written to memory. A value of undefined deletes the entry. */
  readonly writes = new Map<string, Json | undefined>();
  /** The values that the call has read from memory. A key without a value maps to undefined. */
  readonly reads = new Map<string, Json | undefined>();
  /** Resources that are closed when the call ends. */
  readonly resources = new ScopedResources();
  /** The keys of this frame's model steps and questions so far. */
  readonly asked = new Set<string>();
  /** The steps and calls in progress, keyed by their content keys. */
  readonly underWay = new Map<string, UnderWay>();
  /** The messages of this frame's last model request in the log. Undefined until the log has been read. */
  lastMessages: readonly KnownMessage[] | undefined;
  /** The models without a known price that users have already been notified about. */
  readonly unpriced = new Set<string>();
  /**
   * Whether this process words the last logged request differently. The next request is then recorded in
   * full.
   */
  isReworded = false;
  /** Whether the frame has made a model request that can include messages that users send to the run. */
  isSteered = false;
  /** The frame's timers and listeners. They are disposed as soon as the frame is no longer live. */
  bounds: Disposable | undefined;
  /** Whether the frame's end event is in the log or is being written to it. */
  isEnded = false;
  readonly #onChange: () => void;
  #controller: AbortController | undefined; // Created on first use, because most calls never need a signal.
  #reason: AgentError | undefined;
  readonly #occurrences = new Map<string, number>();
  #effects = 0;
  #questions = 0;
  readonly #stopping = Promise.withResolvers<never>();
  #stopped: AgentError | undefined;
  #isDetached = false;

  constructor(facts: FrameFacts, parent: Frame | undefined, onChange: () => void) {
    this.id = facts.id;
    this.skill = facts.skill;
    this.input = facts.input;
    this.inputHash = facts.inputHash;
    this.depth = facts.depth;
    this.budget = facts.budget;
    this.options = facts.options ?? {};
    this.parent = parent;
    this.access = parent?.access ?? facts.access;
    this.#onChange = onChange;
    // Prevent an unhandled rejection if nothing awaits this promise.
    this.#stopping.promise.catch(() => undefined);
    if (parent === undefined) return;
    parent.children.add(this);
    if (parent.#stopped !== undefined) this.stop(parent.#stopped);
    if (parent.#isDetached && parent.#reason !== undefined) this.detach(parent.#reason);
  }

  /** Opens a frame for a call below this one. */
  enter(facts: FrameFacts): Frame {
    return new Frame(facts, this, this.#onChange);
  }

  /** A signal that aborts when the call has to stop. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /**
   * Whether the call is still running in this process: it was neither stopped nor released to another
   * process.
   */
  get isLive(): boolean {
    return this.#stopped === undefined && !this.#isDetached;
  }

  /** Returns a content key with a counter that distinguishes equal keys in this frame. */
  occurrence(key: string): string {
    const times = (this.#occurrences.get(key) ?? 0) + 1;
    this.#occurrences.set(key, times);
    return `${key}:${times}`;
  }

  /** Continues the counters of an earlier attempt, so that no content key is used twice. */
  countOn(earlier: Frame): void {
    for (const [key, times] of earlier.#occurrences) this.#occurrences.set(key, times);
  }

  /**
   * Returns a promise that settles like `work`. Once the call is no longer live, the promise never settles.
   */
  follow<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => {
          if (this.isLive) resolve(value);
        },
        (thrown: unknown) => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on unchanged
          if (this.isLive) reject(thrown);
        },
      );
    });
  }

  /** Settles like the call's own work, but rejects immediately if the call is stopped. */
  settle<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([this.follow(work), this.#stopping.promise]);
  }

  /**
   * Runs an effect. While the effect is in progress, the call is not considered to be waiting for the user.
   */
  async busy<Value>(work: () => Promise<Value>): Promise<Value> {
    if (!this.isLive) return new Promise(() => undefined);
    this.#effects++;
    try {
      return await this.follow(work());
    } finally {
      this.#effects--;
      this.#onChange();
    }
  }

  /** Marks a question as open until the returned function is called. */
  openQuestion(): () => void {
    this.#questions++;
    this.#onChange();
    return () => {
      this.#questions--;
    };
  }

  /** Whether all work in this frame and the frames below is waiting for the user. */
  get isWaiting(): boolean {
    if (this.#effects > 0 || this.#questions + this.children.size === 0) return false;
    for (const child of this.children) if (!child.isWaiting) return false;
    return true;
  }

  /** The frames from the first one down to this one, excluding the run itself. */
  get path(): readonly Frame[] {
    return this.parent === undefined ? [] : [...this.parent.path, this];
  }

  /** This frame and all open frames below it, deepest first. */
  get open(): readonly Frame[] {
    return [...[...this.children].flatMap((child) => child.open), this];
  }

  /** Removes an ended frame from its caller. */
  leave(): void {
    this.parent?.children.delete(this);
    this.#onChange();
  }

  /**
   * Stops this frame and everything below it. The call ends, and promises that its code still awaits never
   * settle.
   */
  stop(reason: AgentError): void {
    if (!this.isLive) return;
    this.#stopped = reason;
    this.#over(reason);
    this.#stopping.reject(reason);
    for (const child of this.children) child.stop(reason);
  }

  #over(reason: AgentError): void {
    this.#reason = reason;
    this.bounds?.[Symbol.dispose]();
    this.#controller?.abort(reason);
  }

  /**
   * Marks the end of the call. Everything in progress below it stops, and promises that its code still awaits
   * never settle.
   */
  end(reason: AgentError): void {
    for (const child of this.children) child.stop(reason);
    this.detach(reason);
  }

  /**
   * Releases this frame and everything below it. Their promises no longer settle, and a later process begins
   * the work again.
   */
  detach(reason: AgentError): void {
    if (!this.isLive) return;
    this.#isDetached = true;
    this.#over(reason);
    for (const child of this.children) child.detach(reason);
  }
}

/** A skill that can be called, with its family's definition. */
export interface CallTarget {
  readonly skill: Skill;
  readonly family: Family;
  readonly definition: unknown;
  /** The digest of the entire bundle; undefined for a skill defined in code. */
  readonly digest: string | undefined;
  /** Whether the skill cannot call other skills. */
  readonly isLeaf: boolean;
  /** Set if the caller provides the skill. Such a skill is in no registry, and its name is untrusted. */
  readonly isProvided?: true;
  /** Set if the client of the run's request provides the skill, and executes it. */
  readonly isOfClient?: true;
}
