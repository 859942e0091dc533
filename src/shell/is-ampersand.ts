import type { SyntaxNode } from 'unbash';

/** Whether this is a redirection that begins with `&`: for other shells than bash, a new command begins behind it. */
export function isAmpersand(node: SyntaxNode): boolean {
  return node.type === 'Redirect' && node.operator.startsWith('&');
}
