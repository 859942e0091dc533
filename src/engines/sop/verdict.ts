import type { ErrorData } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';

const marker = Symbol.for('skilled.SopVerdict');

/** What a command says of itself that is not a value; made by the functions below alone. */
export type Verdict = { readonly [marker]: true } & (
  | { readonly status: 'fail'; readonly error: ErrorData }
  | { readonly status: 'canceled'; readonly reason: string }
  | { readonly status: 'waiting'; readonly question: Json }
  | { readonly status: 'impossible'; readonly reason: string }
);

/** The step and all that depends on it are not done, which is no failure. */
export function cancelStep(reason: string): Verdict {
  return { [marker]: true, status: 'canceled', reason };
}

/** The step failed for this reason. */
export function failStep(error: ErrorData): Verdict {
  return { [marker]: true, status: 'fail', error };
}

/** The step goes on when somebody has answered; until then only what depends on it waits. */
export function waitFor(question: Json): Verdict {
  return { [marker]: true, status: 'waiting', question };
}

/** The whole plan ends at once: what it is for cannot be done. */
export function giveUp(reason: string): Verdict {
  return { [marker]: true, status: 'impossible', reason };
}

/** Whether a result of a command is a verdict and not a value. */
export function isVerdict(value: unknown): value is Verdict {
  return typeof value === 'object' && value !== null && marker in value;
}
