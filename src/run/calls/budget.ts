import { AgentError, addUsage, type ErrorCode, type RunLimits, type Usage } from '../../core/index.ts';
import type { Spent } from '../log/run-state.ts';

/** The limits of a frame and what was used under them; what is used below counts here too. */
export class Budget {
  readonly limits: RunLimits;
  readonly #above: Budget | undefined;
  #spent: Spent;

  constructor(limits: RunLimits, spent: Spent, above?: Budget) {
    this.limits = limits;
    this.#spent = spent;
    this.#above = above;
  }

  /** A budget below this one, tighter where the wish is tighter; this one itself where it is not. */
  tighten(wish: Partial<RunLimits> | undefined, spent: () => Spent): Budget {
    const limits = tighter(this.limits, wish ?? {});
    return limits === this.limits ? this : new Budget(limits, spent(), this);
  }

  /** Counts one more call; throws the limit that it would pass, having counted nothing. */
  takeCall(isLeaf: boolean): void {
    this.checkCall(isLeaf);
    for (const budget of this.#upwards()) budget.#countCall(isLeaf);
  }

  /** Throws the limit that one more call would pass. */
  checkCall(isLeaf: boolean): void {
    this.checkSpending();
    for (const budget of this.#upwards()) budget.#checkOwn(isLeaf);
  }

  /** Counts what a model was paid. */
  spend(usage: Usage): void {
    for (const budget of this.#upwards()) {
      budget.#spent = { ...budget.#spent, usage: addUsage(budget.#spent.usage, usage) };
    }
  }

  /** Throws when nothing is left of tokens or money. */
  checkSpending(): void {
    for (const { limits, used } of this.#upwards()) {
      const tokens = used.usage.inputTokens + used.usage.outputTokens;
      if (limits.tokens !== undefined && tokens >= limits.tokens) {
        throw overLimit('limit.tokens', `${count(limits.tokens)} tokens`, 'tokens');
      }
      if (limits.money !== undefined && (used.usage.cost ?? 0) >= limits.money) {
        throw overLimit('limit.money', `$${limits.money}`, 'money');
      }
    }
  }

  /** What was used so far. */
  get used(): Spent {
    return this.#spent;
  }

  #checkOwn(isLeaf: boolean): void {
    const { frames, leafCalls } = this.limits;
    if (isLeaf && this.#spent.leafCalls >= leafCalls) {
      throw overLimit('limit.calls', `${count(leafCalls)} calls of skills that call no others`, 'leafCalls');
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

/** Limits joined with a wish, which can only tighten them; the same object where it does not. */
function tighter(limits: RunLimits, wish: Partial<RunLimits>): RunLimits {
  const changes = Object.entries(wish).filter(([name, value]) => {
    const now = limits[name as keyof RunLimits];
    return value < (now ?? Number.POSITIVE_INFINITY);
  });
  return changes.length === 0 ? limits : { ...limits, ...Object.fromEntries(changes) };
}

/** The refusal of something that would pass a limit. */
export function overLimit(code: ErrorCode, what: string, limit: keyof RunLimits): AgentError {
  return new AgentError(code, `The run may not use more than ${what}.`, {
    hint: `Raise the limit "${limit}" if that is too little.`,
    details: { limit },
  });
}

function count(number: number): string {
  return number.toLocaleString('en');
}

/** Limits without those that are absent; one that is no number would silently switch its guard off, so it throws. */
export function checkLimits<Limits extends object>(limits?: Partial<Limits>): Partial<Limits> {
  const given = Object.entries<unknown>(limits ?? {}).filter(([, value]) => value !== undefined);
  const odd = given.find(([name, value]) => !isLimit(name, value));
  if (odd === undefined) return Object.fromEntries(given) as Partial<Limits>;
  const kind = odd[0] === 'money' ? 'a number' : 'a whole number';
  throw new AgentError('usage.bad-input', `The limit "${odd[0]}" must be ${kind} from 0 up.`, {
    hint: 'Correct the limits option.',
  });
}

/** Money may be a fraction; everything else is counted. */
function isLimit(name: string, value: unknown): boolean {
  const isNumber = name === 'money' ? Number.isFinite(value) : Number.isSafeInteger(value);
  return isNumber && Number(value) >= 0;
}
