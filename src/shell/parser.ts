import type * as Unbash from 'unbash';
import type { SyntaxNode } from 'unbash';
import { loadPackage } from '../core/index.ts';

/** The parser of shell commands, loaded when the first command is read: many runs read none. */
export function unbash(): typeof Unbash {
  return loadPackage('unbash') as typeof Unbash;
}

const mostCharacters = 64 * 1024;
const mostBrackets = 48;
const mostHereDocuments = 256;

/** Whether a script can be parsed in a moment: the time grows with its length and with how deep its brackets go. */
export function isReadable(source: string): boolean {
  if (source.length > mostCharacters) return false;
  let hereDocuments = 0;
  let open = 0;
  for (const [token] of source.matchAll(/[({[]|[)}\]]|<</g)) {
    if (token === '<<') hereDocuments++;
    else if ('({['.includes(token)) open++;
    else open = Math.max(0, open - 1);
    if (open > mostBrackets || hereDocuments > mostHereDocuments) return false;
  }
  return true;
}

/** Whether this is a redirection that begins with `&`: for other shells than bash, a new command begins behind it. */
export function isAmpersand(node: SyntaxNode): boolean {
  return node.type === 'Redirect' && node.operator.startsWith('&');
}
