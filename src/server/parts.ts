import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import { optional, pause, type Store } from '../core/index.ts';
import { callerOf, localPrincipal, type Caller } from './caller.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { createAuthenticator, type Authenticator } from './keys/authenticate.ts';
import { createKeyStore } from './keys/key-store.ts';
import { createTokenVerifier, type OidcOptions } from './keys/oidc.ts';
import type { RequestRate } from './keys/principal.ts';
import { createBudgets, type Budgets } from './limits/budgets.ts';
import { createRateLimiter, type RateDecision, type RateLimiter } from './limits/rate-limiter.ts';
import { createSlots, type Slots } from './limits/slots.ts';
import { createUsageLedger, type UsageLedger } from './limits/usage-ledger.ts';
import type { ServerContext } from './route-group.ts';
import { createRunFeeds } from './streams/run-feeds.ts';

/** The options that decide about the parts of a server. */
interface PartsOptions extends Partial<Pick<ServerContext, 'version' | 'limits' | 'models'>> {
  readonly keys?: boolean;
  readonly oidc?: OidcOptions;
  readonly rate?: RequestRate;
  readonly maxRuns?: number;
  readonly maxRequests?: number;
}

/** The parts of a server. Those that need the store open it on first use. */
export interface ServerParts {
  readonly context: ServerContext;
  /** Limits the requests in progress. */
  readonly requestSlots: Slots;
  /** Whether requests need a key. */
  readonly needsKey: boolean;
  /** Returns who sends a request. Throws if the request has no valid key. */
  authenticate(headers: Headers): Promise<Caller>;
  /** Takes one request from the rate of a caller. */
  takeRate(caller: Caller): Promise<RateDecision>;
  /** Resolves when nothing of one kind is in progress, or after this time. */
  idle(what: 'runs' | 'requests', milliseconds: number): Promise<void>;
}

const usualRuns = 200;
const usualRequests = 2_000;

/** Creates the parts of a server. */
export function openParts(
  agent: BareAgent,
  options: PartsOptions,
  own: Pick<ServerContext, 'draining' | 'closing' | 'report'>,
): ServerParts {
  const store = (): Promise<Store> => agent.runs.store();
  const runSlots = createSlots({ what: 'runs', total: options.maxRuns ?? usualRuns });
  const requestSlots = createSlots({ what: 'requests', total: options.maxRequests ?? usualRequests });
  const authenticator = later<Authenticator>(async () =>
    createAuthenticator({
      keys: createKeyStore(await store()),
      ...optional('tokens', options.oidc && createTokenVerifier(options.oidc)),
    }),
  );
  const limiter = later<RateLimiter>(async () =>
    createRateLimiter(await store(), optional('rate', options.rate)),
  );
  const idempotency = later<Idempotency>(async () => createIdempotency(await store()));
  const ledger = later<UsageLedger>(async () => createUsageLedger(await store()));
  const budgets = later<Budgets>(async () => createBudgets(await ledger()));
  const needsKey = options.keys === true;
  return {
    needsKey,
    requestSlots,
    context: {
      ...own,
      agent,
      version: options.version ?? '',
      feeds: createRunFeeds(store),
      runSlots,
      idempotency: {
        begin: async (...given) => (await idempotency()).begin(...given),
      },
      usage: { read: async () => (await ledger()).read() },
      budgets: { check: async (principal) => (await budgets()).check(principal) },
      models: options.models,
      limits: options.limits,
    },
    async authenticate(headers) {
      if (!needsKey) return callerOf(localPrincipal);
      const principal = await (await authenticator()).authenticate(headers);
      if (principal instanceof Error) throw principal;
      return callerOf(principal);
    },
    async takeRate({ principal }) {
      if (principal.rate === undefined && options.rate === undefined) return { allowed: true, headers: {} };
      return await (await limiter()).take(principal);
    },
    async idle(what, milliseconds) {
      const slots = what === 'runs' ? runSlots : requestSlots;
      const end = Date.now() + milliseconds;
      while (slots.taken > 0 && Date.now() < end) await pause(20);
    },
  };
}

/** Returns a function that makes a value on first use. If that fails, the next use tries again. */
function later<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let opening: Promise<Value> | undefined;
  return () => {
    opening ??= make().catch((thrown: unknown) => {
      opening = undefined;
      throw thrown;
    });
    return opening;
  };
}
