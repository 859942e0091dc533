import type { TableRequest } from '../request/request.ts';

/** The result of parsing words without a model. */
export type Understood =
  | { readonly kind: 'request'; readonly request: TableRequest }
  /**
   * A plain form with an ambiguous part. Each option can replace the unclear words from `at` to `end`,
   * counted from 0.
   */
  | {
      readonly kind: 'question';
      readonly text: string;
      readonly options: readonly string[];
      readonly at: number;
      readonly end: number;
    }
  /** A plain form with a mistake. `at` is its position, counted from 0. */
  | { readonly kind: 'fault'; readonly message: string; readonly hint: string; readonly at: number }
  /**
   * Not a plain form: a model may understand it. `why` says what could not be read, for when no model is
   * available.
   */
  | { readonly kind: 'unknown'; readonly why: string };
