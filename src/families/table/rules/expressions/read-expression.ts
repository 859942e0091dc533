import { kindOf, kindOfField } from './kind.ts';
import type { FindField } from './names.ts';
import { createReader } from './reader.ts';
import { readTokens } from './tokens.ts';
import type { Expression } from './expression.ts';

/**
 * Parses text as an expression, with or without backticks. The expression can begin with `=`, optionally
 * preceded by the name of the field `own`. Returns undefined for prose. Pure, never throws.
 */
export function readExpression(text: string, find: FindField, own?: string): Expression | undefined {
  const tokens = readTokens(plainText(text));
  if (tokens === undefined) return undefined;
  const reader = createReader(tokens, find);
  reader.skipHead(own);
  const expression = reader.readWhole();
  if (expression === undefined) return undefined;
  const fieldKind = (name: string): ReturnType<typeof kindOfField> =>
    kindOfField(find(name) ?? { type: 'json' });
  return kindOf(expression, fieldKind) === undefined ? undefined : expression;
}

/** Removes the backticks or code fence around text, and a final full stop. */
function plainText(text: string): string {
  const bare = text.trim().replace(/^[-*+]\s+(?=`)/, '');
  const fence = /^(?:```|~~~)[^\n]*\n([^`~]*?)\n?(?:```|~~~)$/.exec(bare);
  return (fence?.[1] ?? bare.replace(/^`+([^`]+)`+\.?$/, '$1')).trim().replace(/\.$/, '');
}
