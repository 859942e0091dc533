import type * as Unbash from 'unbash';
import type { SyntaxNode } from 'unbash';
import { loadPackage } from '../core/index.ts';

/** Returns the shell parser. The parser is loaded on first use, because many runs never need it. */
export function unbash(): typeof Unbash {
  return loadPackage('unbash') as typeof Unbash;
}

const maxCharacters = 64 * 1024;
const maxBrackets = 48;
const maxHereDocuments = 256;

/**
 * Returns whether a script can be parsed quickly. Parsing time grows with its length and bracket nesting.
 */
export function isReadable(source: string): boolean {
  if (source.length > maxCharacters) return false;
  let hereDocuments = 0;
  let open = 0;
  for (const [token] of source.matchAll(/[({[]|[)}\]]|<</g)) {
    if (token === '<<') hereDocuments++;
    else if ('({['.includes(token)) open++;
    else open = Math.max(0, open - 1);
    if (open > maxBrackets || hereDocuments > maxHereDocuments) return false;
  }
  return true;
}

/**
 * Returns whether a node is a redirection that begins with `&`. In shells other than bash, a new command
 * begins after such a redirection.
 */
export function isAmpersand(node: SyntaxNode): boolean {
  return node.type === 'Redirect' && node.operator.startsWith('&');
}
