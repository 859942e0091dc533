import type { TableRequest } from '../request/request.ts';

/** The result of parsing words without a model. */
export type Understood =
  | { readonly kind: 'request'; readonly request: TableRequest }
  /**
   * A plain form with an ambiguous part. Each option can replace the unclear words, whose zero-based offsets
   * are `at` and `end`.
   */
  | {
      readonly kind: 'question';
      readonly text: string;
      readonly options: readonly string[];
      readonly at: number;
      readonly end: number;
    }
  /** A plain form with a mistake. `at` is the mistake's zero-based offset. */
  | { readonly kind: 'fault'; readonly message: string; readonly hint: string; readonly at: number }
  /**
   * The text is not a plain form, so a model must interpret it. `why` explains the problem if no model is
   * available.
   */
  | { readonly kind: 'unknown'; readonly why: string };
