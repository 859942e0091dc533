import { AgentError, isAgentError, type Json } from '../../../core/index.ts';
import { quote } from '../values/quote.ts';
import type { Understood } from './understood.ts';

/** A final result that ends parsing early. Any part of the parser can throw it. */
type Verdict = Exclude<Understood, { readonly kind: 'request' }>;

/** Returns the error for a mistake in a plain form. */
export function faultAt(at: number, message: string, hint: string): AgentError {
  return stop({ kind: 'fault', message, hint, at }, message);
}

/** Returns the error for ambiguous words between `at` and `end`. */
export function unclearAt(at: number, end: number, text: string, options: readonly string[]): AgentError {
  return stop({ kind: 'question', text, options, at, end }, text);
}

/** Returns the error for text that is not a plain form. */
export function notPlain(why: string): AgentError {
  return stop({ kind: 'unknown', why }, why);
}

/** Returns the error for a word that has no meaning in its position. */
export function notClear(word: string): AgentError {
  return notPlain(`It is not clear what ${quote(word)} means.`);
}

function stop(verdict: Verdict, message: string): AgentError {
  return new AgentError('usage.bad-input', message, { details: { verdict: verdict as unknown as Json } });
}

/** Returns the final result that the parser threw. Rethrows any other error. */
export function verdictOf(thrown: unknown): Verdict {
  if (isAgentError(thrown) && thrown.code === 'usage.bad-input') {
    const { verdict } = thrown.details as { readonly verdict?: Verdict };
    if (verdict !== undefined) return verdict;
  }
  throw thrown;
}
