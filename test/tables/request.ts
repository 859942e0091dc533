import type { JsonObject } from '../../src/index.ts';

/** The stored value of a field. */
export type Value = string | number | boolean | null | readonly string[];

/** A record, by field name. Fields without a value are null. */
export type Row = Readonly<Record<string, Value>>;

/** Changed fields by key. A record of null is deleted; an unknown key is a new record. */
export type Diff = Readonly<Record<string, Readonly<Record<string, Value>> | null>>;

/** A step after the request: the expected question with its reply, or a change by another user. */
export type Step =
  | { readonly question: 'confirm' | 'fill' | 'fix' | 'pick'; readonly reply: string }
  | { readonly meanwhile: JsonObject; readonly diff: Diff };

/** The expected end of a request. */
export type End =
  | { readonly end: 'writes' | 'undoes' | 'refused'; readonly diff: Diff; readonly code?: string }
  | { readonly end: 'declined' }
  | { readonly end: 'unchanged' | 'none' }
  | { readonly end: 'fails'; readonly code: string }
  | { readonly end: 'finds'; readonly filter: Filter; readonly order?: Order; readonly window?: Window }
  | { readonly end: 'shows'; readonly key: string | null }
  | { readonly end: 'counts'; readonly filter: Filter }
  | { readonly end: 'measures'; readonly work: (rows: readonly Row[]) => Value }
  | { readonly end: 'groups'; readonly work: (rows: readonly Row[]) => readonly (readonly [Value, Value])[] }
  | { readonly end: 'exports'; readonly file: string; readonly filter: Filter };

export type Filter = (row: Row) => boolean;
export type Order = (row: Row) => Value;

/** The part of a list that is shown. */
export interface Window {
  readonly down?: boolean;
  readonly limit?: number;
  readonly offset?: number;
}

/** One request: who asks what, how the questions are answered, and how it ends. */
export interface Request {
  /** The user's role. A number after it means another user with that role. */
  readonly as: string;
  readonly ask: string | JsonObject;
  /** The table. Default: the one that the file of requests is about. */
  readonly of?: string;
  readonly steps: readonly Step[];
  readonly end: End;
  /** The model's answers, if the words need one. */
  readonly model?: readonly string[];
}

/** Writes a request on one line: the role, the words or the typed request, the steps, and the end. */
export function ask(as: string, words: string | JsonObject, ...rest: readonly [...Step[], End]): Request {
  return { as, ask: words, steps: rest.slice(0, -1) as Step[], end: rest.at(-1) as End };
}

/** A request to another table of the example. */
export function askOf(
  of: string,
  as: string,
  words: string | JsonObject,
  ...rest: readonly [...Step[], End]
): Request {
  return { ...ask(as, words, ...rest), of };
}

/** A request in free words, which a model reads. `answer` is the model's answer. */
export function free(
  as: string,
  words: string,
  answer: JsonObject,
  ...rest: readonly [...Step[], End]
): Request {
  return { ...ask(as, words, ...rest), model: [JSON.stringify(answer)] };
}

/** The preview is shown. */
export const confirm = (reply: string): Step => ({ question: 'confirm', reply });
/** Missing values are asked for. */
export const fill = (reply: string): Step => ({ question: 'fill', reply });
/** The change breaks a rule, and a correction is asked for. */
export const fix = (reply: string): Step => ({ question: 'fix', reply });
/** Several records match. */
export const pick = (reply: string): Step => ({ question: 'pick', reply });
/** Another user makes a typed request before the next reply. */
export const meanwhile = (request: JsonObject, diff: Diff): Step => ({ meanwhile: request, diff });
export const yes = confirm('yes');
export const no = confirm('no');

export const writes = (diff: Diff): End => ({ end: 'writes', diff });
/** A change is taken back. The records were valid before, so their way back is not held against the policy. */
export const undoes = (diff: Diff): End => ({ end: 'undoes', diff });
/** Nothing is written. The attempt must break the policy of the test's own model. */
export const refused = (diff: Diff, code = 'usage.bad-input'): End => ({ end: 'refused', diff, code });
/** As `refused`, but the user is asked for a correction and cancels. */
export const givesUp = (diff: Diff): End => ({ end: 'refused', diff });
export const declined: End = { end: 'declined' };
export const unchanged: End = { end: 'unchanged' };
export const none: End = { end: 'none' };
export const fails = (code: string): End => ({ end: 'fails', code });
export const finds = (filter: Filter, order?: Order, window?: Window): End => ({
  end: 'finds',
  filter,
  ...(order === undefined ? {} : { order }),
  ...(window === undefined ? {} : { window }),
});
export const shows = (key: string | null): End => ({ end: 'shows', key });
export const counts = (filter: Filter): End => ({ end: 'counts', filter });
export const measures = (work: (rows: readonly Row[]) => Value): End => ({ end: 'measures', work });
export const groups = (work: (rows: readonly Row[]) => readonly (readonly [Value, Value])[]): End => ({
  end: 'groups',
  work,
});
export const exports = (file: string, filter: Filter): End => ({ end: 'exports', file, filter });

export const all: Filter = () => true;
