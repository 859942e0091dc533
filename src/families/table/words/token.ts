/** A word, quoted string or symbol in the text. */
export interface WordToken {
  readonly kind: 'word' | 'quoted' | 'sign';
  /** The text as written, without quotes and with escapes resolved. */
  readonly text: string;
  /** The normalised form used for comparisons: lowercase, with one spelling per operator. */
  readonly low: string;
  /** The zero-based start and end offsets. */
  readonly start: number;
  readonly end: number;
  /** Whether the token starts on a new line. */
  readonly isOnNewLine: boolean;
}
