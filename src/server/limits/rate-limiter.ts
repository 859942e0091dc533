import type { Principal } from '../keys/principal.ts';

/** Whether a request is within the rate of its key. */
export interface RateDecision {
  readonly allowed: boolean;
  /** `RateLimit-*` and, if the request is not allowed, `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Limits how many requests each key sends, on all servers that share a store together. */
export interface RateLimiter {
  /** Takes one request from the principal's rate. Without permission, respond with status 429. */
  take(principal: Pick<Principal, 'keyId' | 'rate'>): Promise<RateDecision>;
}
