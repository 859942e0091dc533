/** A token of an expression. */
export type ExpressionToken =
  | { readonly kind: 'value'; readonly value: string | number }
  /** A bare word; several in a row may form one name. */
  | { readonly kind: 'word'; readonly word: string }
  /** A name in brackets. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'sign'; readonly sign: string };

const longest = 2000; // The maximum length of an expression, in characters.
const most = 500; // The maximum number of tokens.

/**
 * Splits an expression into tokens. Returns undefined for text that cannot be an expression. Pure. Runs in
 * linear time.
 */
export function readTokens(text: string): readonly ExpressionToken[] | undefined {
  if (text.length > longest) return undefined;
  const tokens: ExpressionToken[] = [];
  let at = 0;
  while (at < text.length) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (found === null || tokens.length === most) return undefined;
    const token = tokenOf(found.groups ?? {});
    if (token !== undefined) tokens.push(token);
    at = form.lastIndex;
  }
  return tokens;
}

const form = new RegExp(
  [
    String.raw`(?<blank>\s+)`,
    String.raw`(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?![\p{L}\p{N}_.]))`,
    String.raw`(?<text>"(?:[^"\\]|\\["'\\])*"|'(?:[^'\\]|\\["'\\])*')`,
    String.raw`\[(?<name>[^\][]+)\]`,
    String.raw`(?<word>[\p{L}_][\p{L}\p{M}\p{N}_]*)`,
    String.raw`(?<sign>===?|!==?|<>|<=|>=|&&|\|\||[-+*/=<>!(),≠≤≥×÷−])`,
  ].join('|'),
  'uy',
);

function tokenOf(found: Readonly<Record<string, string | undefined>>): ExpressionToken | undefined {
  const { number, text, name, word, sign } = found;
  if (number !== undefined) return { kind: 'value', value: Number(number) };
  if (text !== undefined) return { kind: 'value', value: text.slice(1, -1).replace(/\\(.)/gs, '$1') };
  if (name !== undefined) return { kind: 'name', name: name.trim() };
  if (word !== undefined) return { kind: 'word', word };
  return sign === undefined ? undefined : { kind: 'sign', sign: plainSigns.get(sign) ?? sign };
}

/** Maps alternative spellings of operators to the standard ones. */
const plainSigns: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['===', '='],
  ['!==', '!='],
  ['<>', '!='],
  ['≠', '!='],
  ['≤', '<='],
  ['≥', '>='],
  ['×', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);
