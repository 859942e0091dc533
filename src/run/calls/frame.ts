import type { AgentError, CallOptions, Family, Json, LoadedTools, Skill } from '../../core/index.ts';
import type { KnownMessage } from '../scope/sent-messages.ts';
import type { Budget } from './budget.ts';
import { Keeper } from './scoped-resources.ts';

/** What a frame is opened with. */
interface FrameFacts {
  /** Empty for the run itself, which stands above the first frame. */
  readonly id: string;
  readonly skill: Skill | undefined;
  /** What it was called with; absent for the run itself. */
  readonly input?: Json;
  /** Tells calls with the same input apart from others. */
  readonly inputHash: string;
  readonly depth: number;
  readonly budget: Budget;
  readonly options?: CallOptions;
}

/** A skill that a conversation loaded, and the tools that it named then. */
export interface LoadedSkillTools {
  readonly skill: Pick<Skill, 'name' | 'file'>;
  readonly tools: LoadedTools;
}

/** Something that was begun and did not end yet. */
interface UnderWay {
  /** Hash of what was asked for. */
  readonly request: string;
  readonly outcome: Promise<unknown>;
}

/** One call while it runs: its place in the tree, what is open in it, and whether it goes on. */
export class Frame {
  readonly id: string;
  readonly skill: Skill | undefined;
  readonly input: Json | undefined;
  readonly inputHash: string;
  readonly depth: number;
  readonly budget: Budget;
  /** How it was called. */
  readonly options: CallOptions;
  readonly parent: Frame | undefined;
  /** The skills whose texts its conversation has loaded, the last one last; only those that are still as they were. */
  readonly active = new Set<Skill>();
  /** The tools that loaded skills named, by the name and version of each; they bind the conversation. */
  readonly loaded = new Map<string, LoadedSkillTools>();
  /** Files that its calls were about, as they were written. */
  readonly touched = new Set<string>();
  /** Files and folders of skills that were put into its prompt. */
  readonly given = new Set<string>();
  /** Skills that are there for it alone, by their names. */
  readonly provided = new Map<string, CallTarget>();
  /** Digests of the files that its processes ran from. */
  readonly ran = new Set<string>();
  readonly children = new Set<Frame>();
  /** Values that the call has set in memory; undefined takes one away. */
  readonly writes = new Map<string, Json | undefined>();
  /** What is closed with the call. */
  readonly keeper = new Keeper();
  /** Keys of model steps and questions that were asked for here. */
  readonly asked = new Set<string>();
  /** Steps and calls under way, by key. */
  readonly underWay = new Map<string, UnderWay>();
  /** What the last model was asked of which the log tells in this frame; undefined until that is known here. */
  lastMessages: readonly KnownMessage[] | undefined;
  /** Models whose price is not known, of which people were told. */
  readonly unpriced = new Set<string>();
  /** The log has what the last model was asked in other words, so that the next request is recorded whole. */
  isReworded = false;
  /** It asked a model in a way that messages to the run may join. */
  isSteered = false;
  /** Set once its end is on its way into the log. */
  isEnded = false;
  readonly #onChange: () => void;
  readonly #controller = new AbortController();
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
    this.#onChange = onChange;
    this.#stopping.promise.catch(() => undefined); // only who waits for the call's own code needs to know
    if (parent === undefined) return;
    parent.children.add(this);
    if (parent.#stopped !== undefined) this.stop(parent.#stopped);
    if (parent.#isDetached) this.detach(parent.signal.reason as AgentError);
  }

  /** Opens a call below this one. */
  enter(facts: FrameFacts): Frame {
    return new Frame(facts, this, this.#onChange);
  }

  /** Aborted when the call has to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it neither was stopped nor waits for a later process. */
  get isLive(): boolean {
    return this.#stopped === undefined && !this.#isDetached;
  }

  /** A content key with the number of times it was used in this frame, which tells equal ones apart. */
  occurrence(key: string): string {
    const times = (this.#occurrences.get(key) ?? 0) + 1;
    this.#occurrences.set(key, times);
    return `${key}:${times}`;
  }

  /** The outcome of something under way, as long as the call goes on; after that it never settles. */
  follow<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => {
          if (this.isLive) resolve(value);
        },
        (thrown: unknown) => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is passed on as it is
          if (this.isLive) reject(thrown);
        },
      );
    });
  }

  /** Follows the code of the call itself; rejects as soon as the call is stopped, however long that code takes. */
  settle<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([this.follow(work), this.#stopping.promise]);
  }

  /** Follows an effect: while one is under way, the call is not waiting for a person. */
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

  /** Counts a question that is open until the returned function is called. */
  openQuestion(): () => void {
    this.#questions++;
    this.#onChange();
    return () => {
      this.#questions--;
    };
  }

  /** Whether nothing goes on in it or below it that does not wait for a person. */
  get isWaiting(): boolean {
    if (this.#effects > 0 || this.#questions + this.children.size === 0) return false;
    for (const child of this.children) if (!child.isWaiting) return false;
    return true;
  }

  /** The frames from the first one down to this one; the run itself is none of them. */
  get path(): readonly Frame[] {
    return this.parent === undefined ? [] : [...this.parent.path, this];
  }

  /** The open frames of this one and all below it, the deepest first. */
  get open(): readonly Frame[] {
    return [...[...this.children].flatMap((child) => child.open), this];
  }

  /** Takes it from its caller: it ended. */
  leave(): void {
    this.parent?.children.delete(this);
    this.#onChange();
  }

  /** Stops it and everything below: its end is here, and what its code still waits for never settles. */
  stop(reason: AgentError): void {
    if (!this.isLive) return;
    this.#stopped = reason;
    this.#controller.abort(reason);
    this.#stopping.reject(reason);
    for (const child of this.children) child.stop(reason);
  }

  /** It came to its end: what it left under way below is stopped, and what its code still waits for never settles. */
  end(reason: AgentError): void {
    for (const child of this.children) child.stop(reason);
    this.detach(reason);
  }

  /** Lets go of it and everything below: nothing here settles any more; a later process begins it again. */
  detach(reason: AgentError): void {
    if (!this.isLive) return;
    this.#isDetached = true;
    this.#controller.abort(reason);
    for (const child of this.children) child.detach(reason);
  }
}

/** A skill that can be called, with what its family made of it. */
export interface CallTarget {
  readonly skill: Skill;
  readonly family: Family;
  readonly definition: unknown;
  /** Of the whole bundle; undefined for a skill made in code. */
  readonly digest: string | undefined;
  /** It may call no other skill. */
  readonly isLeaf: boolean;
  /** Its caller provided it: it is in no registry, and its name is whatever somebody elsewhere chose. */
  readonly isProvided?: true;
}
