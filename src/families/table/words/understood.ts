import type { TableRequest } from '../request/request.ts';

/** What was made of words, without a model. */
export type Understood =
  | { readonly kind: 'request'; readonly request: TableRequest }
  /**
   * It is a plain form, and something in it can be meant in several ways. The words from `at` to `end`, counted from 0,
   * are what is unclear: each of the options can be put in their place.
   */
  | {
      readonly kind: 'question';
      readonly text: string;
      readonly options: readonly string[];
      readonly at: number;
      readonly end: number;
    }
  /** It is a plain form that cannot be carried out as it stands. `at` is where, counted from 0. */
  | { readonly kind: 'fault'; readonly message: string; readonly hint: string; readonly at: number }
  /** It is no plain form: a model may know what is meant. `why` says what could not be read, for when there is none. */
  | { readonly kind: 'unknown'; readonly why: string };
