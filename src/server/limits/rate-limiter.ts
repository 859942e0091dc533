import { isJsonObject, type Json, type Store } from '../../core/index.ts';
import type { Principal, RequestRate } from '../keys/principal.ts';

/** Whether a request is within the rate of its key. */
export interface RateDecision {
  readonly allowed: boolean;
  /** `RateLimit-*` and, if the request is not allowed, `Retry-After`. Empty without a rate. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Limits how many requests each key sends, on all servers that share a store together. */
export interface RateLimiter {
  /** Takes one request from the principal's rate. Without permission, respond with status 429. */
  take(principal: Pick<Principal, 'keyId' | 'rate'>): Promise<RateDecision>;
}

/** Options for a rate limiter. */
export interface RateLimiterOptions {
  /** The rate of keys without their own. Default: no limit. */
  readonly rate?: RequestRate;
  readonly now?: () => number;
}

/** A token bucket as stored. */
interface Bucket {
  readonly tokens: number;
  /** The time at which the bucket had these tokens, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The bucket of one key, as this process knows it. */
interface Account {
  /** Tokens that this process took from the bucket and has not used yet. */
  leased: number;
  leasedAt: number;
  /** The bucket after the last look at the store. */
  bucket: Bucket;
  /** The number of requests that wait for the next lease. */
  waiting: number;
  lease: Promise<void> | undefined;
}

const space = 'server/rate';
const leaseMs = 1_000; // Leased tokens that are not used in this time are lost.
const maxAccounts = 10_000;
const maxAttempts = 50; // For one lease, because other servers change the bucket too.
const maxLeases = 5; // For one request.

/**
 * Creates a rate limiter with a token bucket for each key in the store. A process takes a few tokens at once,
 * so that not every request writes to the store; it refuses requests without a look at the store until the
 * bucket can have a token again. In any period, all servers together allow at most `burst` requests and what
 * the key earns in that period and one more second.
 */
export function createRateLimiter(store: Store, options: RateLimiterOptions = {}): RateLimiter {
  const { now = Date.now } = options;
  const accounts = new Map<string, Account>();

  const accountOf = (id: string, { burst }: RequestRate): Account => {
    const known = accounts.get(id);
    if (known !== undefined) return known;
    if (accounts.size >= maxAccounts) dropIdle(accounts, now());
    const account: Account = {
      leased: 0,
      leasedAt: 0,
      bucket: { tokens: burst, at: now() },
      waiting: 0,
      lease: undefined,
    };
    accounts.set(id, account);
    return account;
  };

  /** Takes tokens from the bucket for everybody who waits. The bucket is unchanged if it has no token. */
  const lease = async (id: string, rate: RequestRate, account: Account): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const stored = await store.get(space, id);
      const at = Math.max(now(), bucketIn(stored)?.at ?? 0); // The clocks of servers differ.
      const { tokens } = fill(bucketIn(stored) ?? { tokens: rate.burst, at }, rate, at);
      const taken = Math.min(Math.floor(tokens), Math.max(account.waiting, leaseSize(rate)));
      const bucket = { tokens: tokens - taken, at };
      // Once the bucket would be full again, it need not be stored.
      const isTaken =
        taken === 0 ||
        (await store.swap(space, id, stored, { ...bucket }, msToEarn(rate.burst, rate) + leaseMs));
      if (isTaken) {
        account.leased = taken;
        account.leasedAt = now();
        account.bucket = bucket;
        return;
      }
      if (attempt === maxAttempts) return; // Other servers take all tokens.
    }
  };

  return {
    async take({ keyId, rate = options.rate }) {
      if (rate === undefined) return { allowed: true, headers: {} };
      const account = accountOf(keyId, rate);
      const mayLease = (): boolean =>
        !isUsable(account, now()) && fill(account.bucket, rate, now()).tokens >= 1;
      // Requests that came after a lease was requested may have to wait for the next one.
      for (let time = 0; time < maxLeases && mayLease(); time += 1) {
        account.waiting += 1;
        account.lease ??= lease(keyId, rate, account).finally(() => {
          account.lease = undefined;
          account.waiting = 0;
        });
        await account.lease;
      }
      const allowed = isUsable(account, now());
      if (allowed) account.leased -= 1;
      return { allowed, headers: headersOf(account, rate, now(), allowed) };
    },
  };
}

/** The number of tokens that a process takes at once: few enough that other servers find some. */
function leaseSize({ burst, perMinute }: RequestRate): number {
  return Math.max(1, Math.floor(Math.min(burst / 10, perMinute / 60)));
}

function isUsable({ leased, leasedAt }: Account, now: number): boolean {
  return leased >= 1 && now - leasedAt < leaseMs;
}

/** Returns the bucket with the tokens that were earned until a time. Pure. */
function fill({ tokens, at }: Bucket, { burst, perMinute }: RequestRate, now: number): Bucket {
  const earned = (Math.max(0, now - at) / 60_000) * perMinute;
  return { tokens: Math.min(Math.max(1, burst), tokens + earned), at: Math.max(at, now) };
}

function msToEarn(tokens: number, { perMinute }: RequestRate): number {
  return Math.ceil((tokens / perMinute) * 60_000);
}

function bucketIn(stored: Json | undefined): Bucket | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { tokens, at } = stored;
  return typeof tokens === 'number' && typeof at === 'number' ? { tokens, at } : undefined;
}

function headersOf(
  account: Account,
  rate: RequestRate,
  now: number,
  allowed: boolean,
): Readonly<Record<string, string>> {
  const { tokens } = fill(account.bucket, rate, now);
  const leased = isUsable(account, now) ? account.leased : 0;
  const seconds = (missing: number): string =>
    String(Math.ceil(msToEarn(Math.max(0, missing), rate) / 1_000));
  return {
    'RateLimit-Limit': String(rate.burst),
    'RateLimit-Remaining': String(allowed ? Math.floor(tokens) + leased : 0),
    'RateLimit-Reset': seconds(rate.burst - tokens - leased),
    'RateLimit-Policy': `${rate.burst};w=${seconds(rate.burst)}`,
    ...(allowed ? {} : { 'Retry-After': String(Math.max(1, Number(seconds(1 - tokens)))) }),
  };
}

/** Forgets keys that hold no tokens and sent no request in the last seconds. The store still has their buckets. */
function dropIdle(accounts: Map<string, Account>, now: number): void {
  for (const [id, account] of accounts)
    if (account.lease === undefined && now - account.bucket.at > 10 * leaseMs) accounts.delete(id);
}
