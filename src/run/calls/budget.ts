import {
  AgentError,
  acceptRenamedLimits,
  addUsage,
  type ErrorCode,
  type RunLimits,
  type Usage,
} from '../../core/index.ts';
import type { Spent } from '../log/run-state.ts';

/** The limits of a frame, and its usage including all nested frames. */
export class Budget {
  readonly limits: RunLimits;
  readonly #above: Budget | undefined;
  #spent: Spent;

  constructor(limits: RunLimits, spent: Spent, above?: Budget) {
    this.limits = limits;
    this.#spent = spent;
    this.#above = above;
  }

  /** Returns a child budget with tighter limits. Returns this budget if no requested limit is tighter. */
  tighten(requested: Partial<RunLimits> | undefined, spent: () => Spent): Budget {
    if (requested === undefined) return this;
    const limits = tighter(this.limits, acceptRenamedLimits(requested));
    return limits === this.limits ? this : new Budget(limits, spent(), this);
  }

  /** Counts one more call. If that would exceed a limit, throws and counts nothing. */
  takeCall(isLeaf: boolean): void {
    this.checkCall(isLeaf);
    for (const budget of this.#upwards()) budget.#countCall(isLeaf);
  }

  /** Throws if one more call would exceed a limit. */
  checkCall(isLeaf: boolean): void {
    this.checkSpending();
    for (const budget of this.#upwards()) budget.#checkOwn(isLeaf);
  }

  /** Counts a model's usage. */
  spend(usage: Usage): void {
    for (const budget of this.#upwards()) {
      budget.#spent = { ...budget.#spent, usage: addUsage(budget.#spent.usage, usage) };
    }
  }

  /** Throws if the token or cost limit has been reached. */
  checkSpending(): void {
    for (const { limits, used } of this.#upwards()) {
      const tokens = used.usage.inputTokens + used.usage.outputTokens;
      if (limits.tokens !== undefined && tokens >= limits.tokens) {
        throw overLimit('limit.tokens', `${count(limits.tokens)} tokens`, 'tokens');
      }
      if (limits.cost !== undefined && (used.usage.cost ?? 0) >= limits.cost) {
        throw overLimit('limit.money', `$${limits.cost}`, 'cost');
      }
    }
  }

  /** The usage so far. */
  get used(): Spent {
    return this.#spent;
  }

  #checkOwn(isLeaf: boolean): void {
    const { frames, leafCalls } = this.limits;
    if (isLeaf && this.#spent.leafCalls >= leafCalls) {
      throw overLimit('limit.calls', `${count(leafCalls)} calls of leaf skills`, 'leafCalls');
    }
    if (!isLeaf && this.#spent.frames >= frames) {
      throw overLimit('limit.frames', `${count(frames)} frames`, 'frames');
    }
  }

  #countCall(isLeaf: boolean): void {
    const { frames, leafCalls } = this.#spent;
    this.#spent = {
      ...this.#spent,
      ...(isLeaf ? { leafCalls: leafCalls + 1 } : { frames: frames + 1 }),
    };
  }

  *#upwards(): Iterable<Budget> {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the chain begins with this one
    for (let budget: Budget | undefined = this; budget !== undefined; budget = budget.#above) yield budget;
  }
}

/**
 * Applies the requested limits that are tighter than the current ones. Returns the same object if there are
 * none.
 */
export function tighter(limits: RunLimits, requested: Partial<RunLimits>): RunLimits {
  const changes = Object.entries(requested).filter(([name, value]) => {
    const now = limits[name as keyof RunLimits];
    return value < (now ?? Number.POSITIVE_INFINITY);
  });
  return changes.length === 0 ? limits : { ...limits, ...Object.fromEntries(changes) };
}

const flagFor: Partial<Record<keyof RunLimits, string>> = {
  steps: ' (`--max-steps` on the command line, `maxTicks` of the run in a program)',
};

/** Creates the error for a call that would exceed a limit. */
export function overLimit(code: ErrorCode, what: string, limit: keyof RunLimits): AgentError {
  return new AgentError(code, `The run reached its limit of ${what}.`, {
    hint: `Raise the limit "${limit}"${flagFor[limit] ?? ''} if you need more.`,
    details: { limit: limit === 'cost' ? 'money' : limit }, // Matches the code `limit.money`.
  });
}

function count(number: number): string {
  return number.toLocaleString('en');
}

/**
 * Validates limits and removes those that are undefined. Throws if a value is not a number, because such a
 * limit would have no effect.
 */
export function checkLimits<Limits extends object>(limits?: Partial<Limits>): Partial<Limits> {
  const given = Object.entries<unknown>(acceptRenamedLimits(limits ?? {})).filter(
    ([, value]) => value !== undefined,
  );
  const odd = given.find(([name, value]) => !isLimit(name, value));
  if (odd === undefined) return Object.fromEntries(given) as Partial<Limits>;
  const kind = odd[0] === 'cost' ? 'a number' : 'a whole number';
  throw new AgentError('usage.bad-input', `The limit "${odd[0]}" must be ${kind}, 0 or greater.`, {
    hint: 'Correct the limits option.',
  });
}

/** Whether a value is a valid limit. A cost limit may be a fraction; all other limits are whole numbers. */
function isLimit(name: string, value: unknown): boolean {
  const isNumber = name === 'cost' ? Number.isFinite(value) : Number.isSafeInteger(value);
  return isNumber && Number(value) >= 0;
}
