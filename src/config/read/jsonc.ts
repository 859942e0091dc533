import { jsonFault, parseJson, type Json } from '../../core/index.ts';

/** What JSON text came to: a value, or what is wrong and on which line. */
type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly line: number };

/** JSON in which comments and trailing commas are allowed; keys that would reach a prototype are dropped. */
export function parseJsonWithComments(text: string): ReadJson {
  const plain = toPlainJson(text);
  const value = parseJson(plain);
  return value === undefined ? { ok: false, ...jsonFault(plain) } : { ok: true, value };
}

/** Comments and trailing commas become blanks, so that every line stays where it was. */
function toPlainJson(text: string): string {
  const parts: string[] = [];
  let last = -1; // the last part that is neither blank nor comment
  let beforeLast = '';
  for (const [part] of text.replace(/^\ufeff/, ' ').matchAll(tokens)) {
    const isComment = /^\/[/*]/.test(part);
    if (!isComment && part.trim() !== '') {
      const isTrailing = parts[last] === ',' && /^[}\]]$/.test(part) && !/^[[{,:]?$/.test(beforeLast);
      if (isTrailing) parts[last] = ' ';
      beforeLast = parts[last] ?? '';
      last = parts.length;
    }
    parts.push(isComment ? part.replace(/[^\n]/g, ' ') : part);
  }
  return parts.join('');
}

// A string, a comment (one that never ends runs to the end), a run of blanks, or any other character.
const tokens = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\s+|[^]/g;

/** The line of a member in valid JSON text, by the names and numbers of items that lead to it with dots between them; undefined where it is not written. Pure. */
export function lineOf(text: string, path: string): number | undefined {
  const place = memberAt(placesIn(text), path)?.start;
  return place === undefined ? undefined : text.slice(0, place).split('\n').length;
}

/** Of a key that is written twice the last one counts. */
function memberAt(place: JsonPlace, path: string): JsonMember | undefined {
  const members = place.members ?? (place.items ?? []).map(itemAt);
  const same = members.findLast(({ key }) => key === path);
  if (same !== undefined) return same;
  const inner = members.flatMap(({ key, value }) =>
    path.startsWith(`${key}.`) ? (memberAt(value, path.slice(key.length + 1)) ?? []) : [],
  );
  return inner.at(-1);
}

/** An item of a list as a member under its number. */
function itemAt(value: JsonPlace, index: number): JsonMember {
  return { key: String(index), start: value.start, value };
}

/** A stretch of JSON text; comments and trailing commas are allowed around it. */
export interface JsonPlace {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  /** Of an object, in the order of the text. */
  readonly members?: readonly JsonMember[];
  /** Of a list. */
  readonly items?: readonly JsonPlace[];
  /** Where the list or object has a comma behind its last member. */
  readonly trailingComma?: number;
}

/** One member of an object. */
export interface JsonMember {
  readonly key: string;
  /** Where its key begins. */
  readonly start: number;
  readonly value: JsonPlace;
}

interface Token {
  readonly text: string;
  readonly start: number;
}

/** Where everything stands in JSON text that is known to be valid; comments belong to nothing. Pure. */
export function placesIn(text: string): JsonPlace {
  const tokens = tokensOf(text);
  let at = 0;
  const next = (): Token => tokens[at++] ?? { text: '', start: text.length };
  const peek = (): string => tokens[at]?.text ?? '';

  const readValue = (): JsonPlace => {
    const first = next();
    if (first.text !== '{' && first.text !== '[') return { start: first.start, end: endOf(first) };
    const close = first.text === '{' ? '}' : ']';
    const members: JsonMember[] = [];
    const items: JsonPlace[] = [];
    let trailingComma: number | undefined;
    while (peek() !== close && peek() !== '') {
      if (peek() === ',') trailingComma = next().start;
      else {
        trailingComma = undefined;
        if (close === ']') items.push(readValue());
        else members.push(readMember());
      }
    }
    return {
      start: first.start,
      end: endOf(next()),
      ...(close === '}' ? { members } : { items }),
      ...(trailingComma === undefined ? {} : { trailingComma }),
    };
  };

  const readMember = (): JsonMember => {
    const name = next();
    next(); // the colon
    return { key: JSON.parse(name.text) as string, start: name.start, value: readValue() };
  };

  return readValue();
}

/** The comments in a stretch of JSON text, in their order. Pure. */
export function commentsIn(text: string): readonly string[] {
  return [...text.matchAll(pattern)].map(([part]) => part.trimEnd()).filter((part) => isComment(part));
}

/** Where the last comment or token before a place ends; blanks do not count. Pure. */
export function lastBefore(text: string, place: number): number {
  return text.slice(0, place).trimEnd().length;
}

function tokensOf(text: string): readonly Token[] {
  return [...text.replace(/^\ufeff/, ' ').matchAll(pattern)]
    .map(({ 0: part, index }) => ({ text: part, start: index }))
    .filter((token) => token.text.trim() !== '' && !isComment(token.text));
}

function endOf({ text, start }: Token): number {
  return start + text.length;
}

function isComment(part: string): boolean {
  return /^\/[/*]/.test(part);
}

// A string, a comment, a run of blanks, a number or word, or a single mark.
const pattern = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|\s+|[\w.+-]+|[^]/g;
