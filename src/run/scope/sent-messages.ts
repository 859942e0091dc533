import { hash } from 'node:crypto';
import { freeze, hashOf, type Json, type Message, type ModelRequest, type Tier } from '../../core/index.ts';

/** A message that a model was asked with. */
export interface KnownMessage {
  readonly given: Message;
  /** As it is kept. */
  readonly clean: Message;
  /** Of it and all before it. */
  readonly hash: string;
}

/** A request as it is kept. */
export interface KnownRequest {
  readonly messages: readonly KnownMessage[];
  /** Of everything that a model is asked but the tools: those are what there is, and may change while a run waits. */
  readonly hash: string;
}

/**
 * Requests of one run, of which each part is cleaned and hashed once: a loop sends a growing conversation again and
 * again. Parts are frozen, so that what was looked at is what is sent.
 */
export class KnownMessages {
  /** Keys of messages to the run that a model step took, while the store may still have them. */
  readonly taken = new Set<string>();
  readonly #clean: (value: unknown) => Json;
  #last: readonly KnownMessage[] = [];
  readonly #hashes = new WeakMap<object, string>();
  readonly #known = new WeakMap<Message, KnownMessage & { readonly before: string }>();

  constructor(clean: (value: unknown) => Json) {
    this.#clean = clean;
  }

  /** A request as it is kept. */
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

  /** Messages as they are kept. */
  conversation(messages: readonly Message[]): readonly KnownMessage[] {
    let count = 0;
    while (count < messages.length && messages[count] === this.#last[count]?.given) count += 1;
    const known = this.#last.slice(0, count);
    for (const given of messages.slice(count)) known.push(this.#message(given, known.at(-1)?.hash ?? ''));
    return (this.#last = known);
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
    const made = hashOf(this.#clean(freeze(part)));
    this.#hashes.set(part, made);
    return made;
  }
}

/** How many messages two requests have in common from their start. */
export function sharedMessages(one: readonly KnownMessage[], other: readonly KnownMessage[]): number {
  let count = 0;
  while (count < one.length && one[count]?.hash === other[count]?.hash) count += 1;
  return count;
}
