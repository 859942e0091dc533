/** A piece of what a person wrote. */
export interface WordToken {
  readonly kind: 'word' | 'quoted' | 'sign';
  /** As written; without the quotes, and with their escapes undone. */
  readonly text: string;
  /** A word or sign in the form in which it is compared: lower case, one spelling of each operator. */
  readonly low: string;
  /** Where it begins and ends, counted from 0. */
  readonly start: number;
  readonly end: number;
  /** Whether a new line begins before it. */
  readonly isOnNewLine: boolean;
}
