import {
  addUsage,
  noUsage,
  optional,
  type Approval,
  type ApprovalRequest,
  type CallRefused,
  type ErrorData,
  type FrameEnded,
  type FrameStarted,
  type Json,
  type Message,
  type ModelReply,
  type RunEvent,
  type RunStarted,
  type Usage,
} from '../../core/index.ts';
import { leaveKeys, leaveOf, type ApprovalSubject } from '../permissions/approvals.ts';

/** What a step came to. */
export interface StepOutcome {
  readonly value?: Json;
  readonly error?: ErrorData;
  readonly reply?: ModelReply;
}

/** A step that was begun, and perhaps ended. */
export interface KnownStep {
  readonly request: string;
  readonly attempts: number;
  readonly outcome?: StepOutcome;
  /** The place of its end. */
  readonly endedAt?: number;
  /** Which model step of its frame it is, counted from 1. */
  readonly ordinal?: number;
  /** Messages of people that joined it, when a model was asked. */
  readonly joined?: readonly Message[];
  /** Set for questions. */
  readonly questionId?: string;
  readonly asks?: ApprovalRequest;
  /** Of the program that began it first, and gave it its key. */
  readonly version: string | undefined;
  /** From when on no answer to it counts, in milliseconds since 1970. */
  readonly expires?: number;
}

/** A call that was begun, and perhaps ended. */
export interface KnownFrame {
  readonly id: string;
  readonly started: FrameStarted;
  readonly at: number;
  readonly ended?: FrameEnded & { readonly seq: number };
  /** Of its files, where preparing it changed them. */
  readonly digest?: string;
  /** Of the program that recorded it. */
  readonly version: string | undefined;
}

/** A call that was refused. */
interface KnownRefusal extends CallRefused {
  readonly seq: number;
  /** Of the program that recorded it. */
  readonly version: string | undefined;
}

/** What a run used. */
export interface Spent {
  readonly frames: number;
  readonly leafCalls: number;
  readonly usage: Usage;
}

/** What a frame used that did not begin yet. */
export const nothingSpent: Spent = { frames: 0, leafCalls: 0, usage: noUsage };

/** All that a log says and replay needs: a fold over the events, kept up while more are added. */
export class RunState {
  started: RunStarted | undefined;
  isEnded = false;
  /** Of the programs that recorded it; undefined for one that did not say. */
  readonly versions = new Set<string | undefined>();
  readonly frames = new Map<string, KnownFrame>();
  readonly #steps = new Map<string, KnownStep>();
  readonly #refused = new Map<string, KnownRefusal>();
  readonly #open = new Map<string, Set<string>>(); // by parent
  readonly #notes = new Set<string>();
  readonly #usage = new Map<string, Usage>();
  readonly #modelSteps = new Map<string, number>();
  readonly #lastAsked = new Map<string, string>();
  readonly #approvedRules = new Set<string>();
  #version: string | undefined;
  readonly #spans: { from: number; to: number }[] = [];

  /** Takes one more event of the log. */
  add(event: RunEvent): void {
    this.#addTime(event);
    const { frameId } = event;
    switch (event.type) {
      case 'run.started':
        this.started = event;
        this.#versionIs(event.version);
        return;
      case 'run.resumed':
        this.isEnded = false;
        this.#versionIs(event.version);
        return;
      case 'run.ended':
        this.isEnded = true;
        return;
      case 'frame.started':
        this.frames.set(frameId, { id: frameId, started: event, at: event.at, version: this.#version });
        this.#openBelow(event.parent).add(frameId);
        return;
      case 'frame.ended': {
        const frame = this.frames.get(frameId);
        this.#openBelow(frame?.started.parent ?? '').delete(frameId);
        if (frame !== undefined) this.frames.set(frameId, { ...frame, ended: event });
        return;
      }
      case 'prepare.ended': {
        const frame = this.frames.get(frameId);
        if (frame !== undefined && event.digest !== undefined)
          this.frames.set(frameId, { ...frame, digest: event.digest });
        return;
      }
      case 'call.refused':
        this.#refused.set(`${frameId}/${event.key}`, { ...event, version: this.#version });
        return;
      case 'step.started':
        this.#begin(frameId, event.key, { request: event.request });
        return;
      case 'model.started':
        this.#lastAsked.set(frameId, event.key);
        this.#begin(frameId, event.key, {
          request: event.request,
          ordinal: this.step(frameId, event.key)?.ordinal ?? this.#nextOrdinal(frameId),
          ...optional('joined', event.joined),
        });
        return;
      case 'input.requested':
        this.#begin(frameId, event.key, {
          request: event.request,
          questionId: event.id,
          ...optional('expires', event.question.expires),
        });
        return;
      case 'approval.requested':
        this.#begin(frameId, event.key, { request: event.request, questionId: event.id, asks: event.asks });
        return;
      case 'note.added':
      case 'artifact.created':
        this.#notes.add(`${frameId}/${event.key}`);
        return;
      case 'step.ended':
        this.#end(frameId, event.key, event.seq, event);
        return;
      case 'input.resolved':
        this.#end(frameId, event.key, event.seq, {
          value: event.answer,
          ...optional('error', event.error),
        });
        return;
      case 'model.ended':
        this.#end(frameId, event.key, event.seq, { reply: event.reply });
        this.#usage.set(frameId, addUsage(this.#usage.get(frameId) ?? noUsage, event.reply.usage));
        return;
      case 'approval.resolved':
        if (event.by === 'policy') {
          this.#steps.delete(`${frameId}/${event.key}`); // a policy that asks again gets no answer from this
          return;
        }
        this.#end(frameId, event.key, event.seq, { value: event.answer });
        this.#approve(frameId, event.key, event.answer);
        return;
      default:
        return;
    }
  }

  /** What is known of a step of a frame. */
  step(frameId: string, key: string): KnownStep | undefined {
    return this.#steps.get(`${frameId}/${key}`);
  }

  /** The keys of the steps of a frame, in the order in which they began first. */
  stepKeys(frameId: string): readonly string[] {
    const start = `${frameId}/`;
    return [...this.#steps.keys()].filter((id) => id.startsWith(start)).map((id) => id.slice(start.length));
  }

  /** The key of the last model step that began in a frame. */
  lastAsked(frameId: string): string | undefined {
    return this.#lastAsked.get(frameId);
  }

  /** A call that was refused, if it was. */
  refused(frameId: string, key: string): KnownRefusal | undefined {
    return this.#refused.get(`${frameId}/${key}`);
  }

  /** Whether a note or an artifact stands in the log. */
  isNoted(frameId: string, key: string): boolean {
    return this.#notes.has(`${frameId}/${key}`);
  }

  /** Whether a person allowed every call under this rule, in this run or of this version of a skill. */
  isApproved(asked: ApprovalSubject): boolean {
    const { run, lasting } = leaveKeys(asked);
    return this.#approvedRules.has(run) || (lasting !== undefined && this.#approvedRules.has(lasting));
  }

  /** The frames below one that did not end. */
  openBelow(frameId: string): readonly KnownFrame[] {
    const own = [...(this.#open.get(frameId) ?? [])].map((id) => this.frames.get(id));
    return own
      .filter((frame) => frame !== undefined)
      .flatMap((frame) => [frame, ...this.openBelow(frame.id)]);
  }

  /** What a frame and everything below it used so far; the whole run for an empty id. */
  spentBelow(frameId: string): Spent {
    const below = [...this.frames.values()].filter((frame) => this.#isBelow(frame, frameId));
    const leaves = below.filter(({ started }) => started.leaf).length;
    const payers = frameId === '' ? [...this.#usage.keys()] : below.map(({ id }) => id);
    const usage = payers.reduce((sum, id) => addUsage(sum, this.#usage.get(id) ?? noUsage), noUsage);
    return { frames: below.length - leaves, leafCalls: leaves, usage };
  }

  /** Milliseconds that were worked since a moment; times in which nobody worked on the run do not count. */
  activeSince(moment: number): number {
    return this.#spans.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, moment)), 0);
  }

  #versionIs(version: string | undefined): void {
    this.#version = version;
    this.versions.add(version);
  }

  #openBelow(parent: string): Set<string> {
    const open = this.#open.get(parent) ?? new Set();
    this.#open.set(parent, open);
    return open;
  }

  #nextOrdinal(frameId: string): number {
    const ordinal = (this.#modelSteps.get(frameId) ?? 0) + 1;
    this.#modelSteps.set(frameId, ordinal);
    return ordinal;
  }

  #isBelow(frame: KnownFrame, ancestor: string): boolean {
    for (let at: KnownFrame | undefined = frame; at !== undefined; at = this.frames.get(at.started.parent)) {
      if (at.id === ancestor) return true;
    }
    return ancestor === '';
  }

  #begin(frameId: string, key: string, step: Omit<KnownStep, 'attempts' | 'version'>): void {
    const id = `${frameId}/${key}`;
    const { attempts, version } = this.#steps.get(id) ?? { attempts: 0, version: this.#version };
    this.#steps.set(id, { ...step, attempts: attempts + 1, version });
  }

  #end(frameId: string, key: string, endedAt: number, { value, error, reply }: StepOutcome): void {
    const id = `${frameId}/${key}`;
    const begun = this.#steps.get(id) ?? { request: '', attempts: 1, version: this.#version };
    const outcome = {
      ...(value === undefined ? {} : { value }),
      ...(error === undefined ? {} : { error }),
      ...(reply === undefined ? {} : { reply }),
    };
    this.#steps.set(id, { ...begun, outcome, endedAt });
  }

  #approve(frameId: string, key: string, answer: Approval): void {
    const asks = this.step(frameId, key)?.asks;
    const leave = asks === undefined ? undefined : leaveOf(asks, answer);
    if (leave !== undefined) this.#approvedRules.add(leave);
  }

  /** One span for each process that worked on the run, from its first event to its last. */
  #addTime({ type, at }: RunEvent): void {
    const last = this.#spans.at(-1);
    if (last === undefined || type === 'run.resumed') this.#spans.push({ from: at, to: at });
    else last.to = Math.max(last.to, at);
  }
}
