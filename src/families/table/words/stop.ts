import { AgentError, isAgentError, type Json } from '../../../core/index.ts';
import { quote } from '../values/quote.ts';
import type { Understood } from './understood.ts';

/** What ends the reading of words: it is thrown from wherever the reader stands, and becomes the answer. */
type Verdict = Exclude<Understood, { readonly kind: 'request' }>;

/** A plain form was begun, and something in it is wrong. */
export function faultAt(at: number, message: string, hint: string): AgentError {
  return stop({ kind: 'fault', message, hint, at }, message);
}

/** Words from `at` to `end` can be meant in several ways. */
export function unclearAt(at: number, end: number, text: string, options: readonly string[]): AgentError {
  return stop({ kind: 'question', text, options, at, end }, text);
}

/** It is no plain form. */
export function notPlain(why: string): AgentError {
  return stop({ kind: 'unknown', why }, why);
}

/** A word that means nothing where it stands. */
export function notClear(word: string): AgentError {
  return notPlain(`It is not clear what ${quote(word)} means.`);
}

function stop(verdict: Verdict, message: string): AgentError {
  return new AgentError('usage.bad-input', message, { details: { verdict: verdict as unknown as Json } });
}

/** The answer that a reader threw; what is none of these is thrown on. */
export function verdictOf(thrown: unknown): Verdict {
  if (isAgentError(thrown) && thrown.code === 'usage.bad-input') {
    const { verdict } = thrown.details as { readonly verdict?: Verdict };
    if (verdict !== undefined) return verdict;
  }
  throw thrown;
}
