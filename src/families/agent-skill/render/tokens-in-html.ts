import type { Token } from 'markdown-it';

/** What stands between an HTML tag and the tag that closes it, of the tokens of one block; a tag left open holds nothing. */
export function tokensInHtml(tokens: readonly Token[]): ReadonlySet<Token> {
  const open = new Map<string, number[]>();
  const turns = new Map<number, number>();
  for (const [index, { type, content }] of tokens.entries()) {
    if (type !== 'html_inline') continue;
    const [, slash, name = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(content) ?? [];
    const places = open.get(name.toLowerCase()) ?? [];
    open.set(name.toLowerCase(), places);
    if (slash === '') places.push(index);
    const opened = slash === '/' ? places.pop() : undefined;
    if (opened === undefined) continue;
    turns.set(opened, (turns.get(opened) ?? 0) + 1);
    turns.set(index, (turns.get(index) ?? 0) - 1);
  }
  const inside = new Set<Token>();
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    depth += turns.get(index) ?? 0;
    if (depth > 0) inside.add(token);
  }
  return inside;
}
