import { AgentError } from '../core/error.ts';

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
