/** The variables of a `.env` file as shells and tools read it, the last of a name; nothing is put in place of `$NAME`. Pure, never throws. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const begin = /^[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.]*)[^\S\n]*=[^\S\n]*/gm;
  const source = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  for (let found = begin.exec(source); found !== null; found = begin.exec(source)) {
    const { value, end } = readValue(source, begin.lastIndex);
    variables.set(found[1] ?? '', value);
    begin.lastIndex = end;
  }
  return variables;
}

interface Value {
  readonly value: string;
  /** Where the next variable may begin. */
  readonly end: number;
}

/** A quote that is never closed is a part of the value. */
function readValue(source: string, start: number): Value {
  const quote = source.charAt(start);
  const close = '\'"`'.includes(quote) && quote !== '' ? closingQuote(source, start, quote) : -1;
  const end = endOfLine(source, Math.max(start, close));
  if (close === -1) return { value: withoutComment(source.slice(start, end)), end };
  const inside = source.slice(start + 1, close);
  return { value: quote === '"' ? unescape(inside) : inside, end };
}

function closingQuote(source: string, start: number, quote: string): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\' && quote === '"') at++;
    else if (source[at] === quote) return at;
  }
  return -1;
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 ? source.length : end;
}

// A hash begins a comment only after white space: it may be a part of a key.
function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#.*$/, '').trim();
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescape(text: string): string {
  return text.replace(/\\([\s\S])/g, (pair, letter: string) => {
    return escapes[letter] ?? ('"\\$`'.includes(letter) ? letter : pair);
  });
}
