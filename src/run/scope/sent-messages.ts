import { hash } from 'node:crypto';
import {
  countShared,
  freeze,
  hashOf,
  type Json,
  type Message,
  type ModelRequest,
  type Tier,
} from '../../core/index.ts';

/** A message that was sent to a model. */
export interface KnownMessage {
  readonly given: Message;
  /** The message as it is stored. */
  readonly clean: Message;
  /** The hash of this message and all messages before it. */
  readonly hash: string;
}

/** The stored form of a request. */
export interface KnownRequest {
  readonly messages: readonly KnownMessage[];
  /** The hash of the request without its tools, because tools may change while a run waits. */
  readonly hash: string;
}

/**
 * The model requests of a run. A loop sends the growing conversation again and again, so each message and
 * schema is redacted and hashed only once. Messages and schemas are frozen, so that the model receives
 * exactly the content that was hashed.
 */
export class KnownMessages {
  /** The keys of messages that a model step has received. The store may still contain them. */
  readonly taken = new Set<string>();
  readonly #clean: (value: unknown) => Json;
  /** The last conversation, as it was given and as it is known. Both lists have the same length. */
  #last: { readonly given: readonly Message[]; readonly known: readonly KnownMessage[] } = {
    given: [],
    known: [],
  };
  readonly #hashes = new WeakMap<object, string>();
  readonly #known = new WeakMap<Message, KnownMessage & { readonly before: string }>();

  constructor(clean: (value: unknown) => Json) {
    this.#clean = clean;
  }

  /** Converts a request to its stored form. */
  request(tier: Tier, request: ModelRequest): KnownRequest {
    const { system, messages, output, effort, maxTokens } = request;
    const known = this.conversation(messages);
    const shape = output === undefined ? null : this.#hashOf(output);
    const last = known.at(-1)?.hash ?? '';
    return {
      messages: known,
      hash: hashOf([tier, system ?? null, effort ?? null, maxTokens ?? null, null, shape, last]),
    };
  }

  /** Converts messages to their stored form. */
  conversation(messages: readonly Message[]): readonly KnownMessage[] {
    const { given, known: before } = this.#last;
    const count = countShared(messages, given);
    if (count === messages.length && count === before.length) return before;
    const known = before.slice(0, count);
    for (const message of messages.slice(count)) known.push(this.#message(message, known.at(-1)?.hash ?? ''));
    this.#last = { given: [...messages], known };
    return known;
  }

  #message(given: Message, before: string): KnownMessage {
    const earlier = this.#known.get(given);
    if (earlier?.before === before) return earlier;
    const clean = earlier?.clean ?? (this.#clean(freeze(given)) as unknown as Message);
    const known = { given, clean, before, hash: hash('sha256', before + hashOf(clean as unknown as Json)) };
    this.#known.set(given, known);
    return known;
  }

  #hashOf(part: object): string {
    const before = this.#hashes.get(part);
    if (before !== undefined) return before;
    const hashed = hashOf(this.#clean(freeze(part)));
    this.#hashes.set(part, hashed);
    return hashed;
  }
}

/** Returns the number of leading messages that two requests share. */
export function sharedMessages(one: readonly KnownMessage[], other: readonly KnownMessage[]): number {
  // A hash covers all messages up to its own, so the last equal hash decides.
  let count = Math.min(one.length, other.length);
  while (count > 0 && one[count - 1]?.hash !== other[count - 1]?.hash) count -= 1;
  return count;
}
