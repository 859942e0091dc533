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
