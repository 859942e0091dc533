import type { Severity } from './finding.ts';

/** Something that is known to be bad. Where two with one id find the same line, the first counts. */
export interface Pattern {
  readonly id: string;
  readonly severity: Severity;
  /** A sentence that says what was found. */
  readonly what: string;
  /** A sentence that says what to do. */
  readonly hint: string;
  /** With the flag `g`; every gap in it has a greatest length, so that the cost is linear in the text. */
  readonly find: RegExp;
  /** What the found text itself must hold. */
  readonly within?: RegExp;
  /** What the found lines must hold as well. */
  readonly line?: RegExp;
  /** What must stand on the found lines or a few lines around them. */
  readonly near?: RegExp;
  /** What makes the found lines harmless. */
  readonly unless?: RegExp;
  /** Prose is what people read, such as Markdown; code is every other text. Both unless said. */
  readonly only?: 'prose' | 'code';
}
