import type { Field } from '../../table.ts';
import type { ExpressionToken } from './tokens.ts';

/** Finds a field by name, in any spelling variant. */
export type FindField = (name: string) => Pick<Field, 'name' | 'type'> | undefined;

/** A field, and the number of tokens in its name. */
interface NamedField {
  readonly field: NonNullable<ReturnType<FindField>>;
  readonly length: number;
}

const maxWords = 8;
const keywords: ReadonlySet<string> = new Set(['and', 'or', 'not', 'true', 'false', 'null']);

/**
 * Finds the field name at a token position: one bracketed name, or the longest matching sequence of words. A
 * keyword alone is not a field name.
 */
export function findNamed(
  tokens: readonly ExpressionToken[],
  from: number,
  find: FindField,
): NamedField | undefined {
  const first = tokens[from];
  if (first?.kind === 'name') {
    const field = find(first.name);
    return field && { field, length: 1 };
  }
  const run = tokens.slice(from, from + maxWords);
  const end = run.findIndex(({ kind }) => kind !== 'word');
  const words = (end < 0 ? run : run.slice(0, end)).map((token) => ('word' in token ? token.word : ''));
  for (let length = words.length; length > 0; length--) {
    if (length === 1 && keywords.has(words[0]?.toLowerCase() ?? '')) return undefined;
    const field = find(words.slice(0, length).join(' '));
    if (field !== undefined) return { field, length };
  }
  return undefined;
}
