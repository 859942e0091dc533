import { createHash, randomUUID } from 'node:crypto';
import { AgentError, isJsonObject, pause, settlesBefore, type Json, type Store } from '../core/index.ts';
import type { Principal } from './keys/principal.ts';

/** The answer to a request, as stored for its repetitions. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** A request that this process must execute. */
export interface NewRequest {
  /**
   * Identifies the request. If the process that executed it first has died, another process gets the same id,
   * so that it can continue what has begun: use it as the id of the run.
   */
  readonly id: string;
  /** Stores the answer for repetitions of the request. */
  finish(answer: StoredAnswer): Promise<void>;
  /** Frees the key, because the request had no effect. Does nothing after `finish`. */
  abandon(): Promise<void>;
}

/** What to do with a request that has an idempotency key. */
export type IdempotentStart =
  | { readonly kind: 'new'; readonly request: NewRequest }
  | { readonly kind: 'replay'; readonly answer: StoredAnswer }
  /** Another body was sent with the same key. Respond with status 409. */
  | { readonly kind: 'conflict' };

/** Makes requests with an `Idempotency-Key` run once. */
export interface Idempotency {
  /**
   * Begins a request. If the same request is in progress, on any server that shares the store, waits for its
   * answer. The digest must cover the method, the path and the body. Throws `usage.bad-input` for a key that
   * is empty or longer than 255 characters.
   */
  begin(
    principal: Pick<Principal, 'keyId'>,
    key: string,
    bodyDigest: string,
    signal?: AbortSignal,
  ): Promise<IdempotentStart>;
}

/** Options for idempotency keys. */
export interface IdempotencyOptions {
  readonly now?: () => number;
  /** The time for which a key is kept, in milliseconds. Default: 24 hours. */
  readonly retainMs?: number;
  /** The time without a sign of life after which another process takes over, in milliseconds. Default: 30,000. */
  readonly silentMs?: number;
}

type Entry = {
  readonly id: string;
  readonly digest: string;
  readonly begunAt: number;
  /** The process that executes the request, and its last sign of life. */
  readonly owner: string;
  readonly beatAt: number;
  readonly answer?: StoredAnswer;
};

const space = 'server/idempotency';
const pollMs = 100;

/** Opens the idempotency keys in a store. */
export function createIdempotency(store: Store, options: IdempotencyOptions = {}): Idempotency {
  const { now = Date.now, retainMs = 24 * 3_600_000, silentMs = 30_000 } = options;
  const underWay = new Map<string, Promise<unknown>>();
  const leftMs = ({ begunAt }: Entry): number => Math.max(1, begunAt + retainMs - now());

  /** Returns the request to execute. A heartbeat shows other processes that this one is alive. */
  const execute = (address: string, begun: Entry): NewRequest => {
    const { promise: settled, resolve } = Promise.withResolvers<undefined>();
    underWay.set(address, settled);
    let current = begun;
    let isOver = false;
    const change = async (next: Entry | undefined): Promise<void> => {
      const isOwn = await store.swap(space, address, asJson(current), next && asJson(next), leftMs(begun));
      if (isOwn && next !== undefined) current = next;
    };
    let beating = Promise.resolve();
    const beat = (): void => {
      // If the store fails, another process may take over, which continues the same run.
      beating = beating.then(() => change({ ...current, beatAt: now() })).catch(() => undefined);
    };
    const heart = setInterval(beat, silentMs / 3).unref();
    const end = async (next: Entry | undefined): Promise<void> => {
      if (isOver) return;
      isOver = true;
      clearInterval(heart);
      try {
        await beating;
        await change(next);
      } finally {
        if (underWay.get(address) === settled) underWay.delete(address);
        resolve(undefined);
      }
    };
    return {
      id: begun.id,
      finish: (answer) => end({ ...current, answer }),
      abandon: () => end(undefined),
    };
  };

  return {
    async begin({ keyId }, key, bodyDigest, signal) {
      checkKey(key);
      const address = createHash('sha256')
        .update(JSON.stringify([keyId, key]))
        .digest('hex');
      for (;;) {
        signal?.throwIfAborted();
        const at = now();
        const id = randomUUID();
        const entry: Entry = { id, digest: bodyDigest, begunAt: at, owner: randomUUID(), beatAt: at };
        if (await store.add(space, address, asJson(entry), retainMs))
          return { kind: 'new', request: execute(address, entry) };
        const found = entryIn(await store.get(space, address));
        if (found === undefined) continue; // The other request was abandoned, or the key has just expired.
        if (found.digest !== bodyDigest) return { kind: 'conflict' };
        if (found.answer !== undefined) return { kind: 'replay', answer: found.answer };
        if (at - found.beatAt > silentMs) {
          const taken: Entry = { ...found, owner: entry.owner, beatAt: at };
          if (await store.swap(space, address, asJson(found), asJson(taken), leftMs(found)))
            return { kind: 'new', request: execute(address, taken) };
        }
        const here = underWay.get(address);
        if (here === undefined) await pause(pollMs, signal);
        else await (signal === undefined ? here : settlesBefore(signal, here));
      }
    },
  };
}

function checkKey(key: string): void {
  if (key.trim() !== '' && key.length <= 255) return;
  throw new AgentError('usage.bad-input', 'The Idempotency-Key must have 1 to 255 characters.', {
    hint: 'Use a random value for each request, such as a UUID.',
  });
}

function asJson(entry: Entry): Json {
  return entry as unknown as Json;
}

function entryIn(stored: Json | undefined): Entry | undefined {
  return isJsonObject(stored) && typeof stored['id'] === 'string' ? (stored as unknown as Entry) : undefined;
}
