import type { Guard, Reference } from '../plan.ts';
import type { Token } from './read-tokens.ts';

/** The tokens that a guard is made of. */
export interface ReadGuard {
  readonly guard: Guard;
  /** How many: `when $x` or `when not $x`. */
  readonly length: 2 | 3;
}

/** The guard that begins with a token, whether or not it stands where one counts. */
export function readGuard(tokens: readonly Token[], index: number): ReadGuard | undefined {
  if (!isWord(tokens[index], 'when')) return undefined;
  const isNegated = isWord(tokens[index + 1], 'not');
  const of = referenceOf(tokens[index + (isNegated ? 2 : 1)]);
  return of === undefined ? undefined : { guard: { of, isNegated }, length: isNegated ? 3 : 2 };
}

/** The guard that the tokens end with. */
export function lastGuard(tokens: readonly Token[]): ReadGuard | undefined {
  const short = readGuard(tokens, tokens.length - 2);
  const long = readGuard(tokens, tokens.length - 3);
  return short ?? (long?.length === 3 ? long : undefined);
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.isBare === true && token.argument.kind === 'text' && token.argument.text === word;
}

function referenceOf(token: Token | undefined): Reference | undefined {
  return token?.isBare === true && token.argument.kind === 'reference' ? token.argument : undefined;
}
