import { AgentError, isAgentError, quote, type Json } from '../../../core/index.ts';
import type { TableRequest } from '../request/request.ts';

/** The result of parsing words without a model. All positions are zero-based offsets in the text. */
export type Understood =
  | { readonly kind: 'request'; readonly request: TableRequest }
  /** A plain form with an ambiguous part. Each option can replace the words from `at` to `end`. */
  | {
      readonly kind: 'question';
      readonly text: string;
      readonly options: readonly string[];
      readonly at: number;
      readonly end: number;
    }
  /** A plain form with a mistake. */
  | { readonly kind: 'fault'; readonly message: string; readonly hint: string; readonly at: number }
  /**
   * The text is not a plain form, so a model must interpret it. Without a model, the user can say what the
   * words of `span` mean or, after the word `lead`, what is missing at the end.
   */
  | {
      readonly kind: 'unknown';
      readonly why: string;
      readonly span?: { readonly at: number; readonly end: number };
      readonly missing?: { readonly text: string; readonly lead: string };
    };

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
export function notPlain(
  why: string,
  more: Pick<Extract<Understood, { kind: 'unknown' }>, 'span' | 'missing'> = {},
): AgentError {
  return stop({ kind: 'unknown', why, ...more }, why);
}

/** Returns the error for words that have no meaning in their position. */
export function notClear(
  words: string,
  span: { readonly at: number; readonly end: number } | undefined,
): AgentError {
  return notPlain(`It is not clear what ${quote(words)} means.`, span === undefined ? {} : { span });
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
