import type { Json } from '../core/index.ts';
import type { Principal } from './keys/principal.ts';

/** The answer to a request, as stored for its repetitions. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** The start of a request with an idempotency key that no request has used. */
export interface NewRequest {
  /** Stores the answer for repetitions of the request. */
  finish(answer: StoredAnswer): Promise<void>;
  /** Frees the key, because the request had no effect. */
  abandon(): Promise<void>;
}

/** What to do with a request that has an idempotency key. */
export type Beginning =
  | { readonly kind: 'new'; readonly request: NewRequest }
  | { readonly kind: 'replay'; readonly answer: StoredAnswer }
  /** Another body was sent with the same key. Respond with status 409. */
  | { readonly kind: 'conflict' };

/** Makes requests with an `Idempotency-Key` run once. */
export interface Idempotency {
  /**
   * Begins a request. If the same request is in progress, on any server that shares the store, waits for its
   * answer.
   */
  begin(
    principal: Pick<Principal, 'keyId'>,
    key: string,
    bodyDigest: string,
    signal?: AbortSignal,
  ): Promise<Beginning>;
}
