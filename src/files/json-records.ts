import { isJsonObject, parseJson, type Json, type JsonObject } from '../core/index.ts';
import { badFile, tooLarge } from './text-pieces.ts';

/**
 * Receives a value, the number of its first line and its source text. The value is undefined for invalid
 * JSON. Reading stops if this function throws.
 */
export type TakeValue = (value: Json | undefined, line: number, text: string) => void;

/** A parser that receives text in chunks. */
interface Cutter {
  push(piece: string): void;
  /** Ends the input after the last chunk. */
  end(): void;
}

const longestText = 4_000_000; // The maximum number of characters in one value.

/** Reads a list of values or one value per line, depending on the first character. */
export async function readJsonRecords(
  pieces: AsyncIterable<Buffer>,
  shown: string,
  take: TakeValue,
): Promise<void> {
  let cutter: Cutter | undefined;
  let before = '';
  for await (const piece of pieces) {
    const text = before + piece.toString('utf8');
    if (cutter === undefined && text.trim() === '') {
      before = text.replace(/[^\n]+/g, ''); // The line breaks are still needed to count lines.
      continue;
    }
    const isList = text.trimStart().startsWith('[');
    cutter ??= isList ? createListCutter(shown, take) : createLineCutter(shown, take);
    cutter.push(text);
    before = '';
  }
  cutter?.end();
}

/** Splits text into lines and skips empty ones. */
function createLineCutter(shown: string, take: TakeValue): Cutter {
  let line = 1;
  let pending = '';
  const finish = (): void => {
    if (pending.trim() !== '') take(parseRecord(pending), line, pending);
    line += 1;
  };
  return {
    push(piece) {
      const [first = '', ...more] = piece.split('\n');
      pending += first;
      for (const next of more) {
        finish();
        pending = next;
      }
      if (pending.length > longestText) throw tooLong(shown, line);
    },
    end: finish,
  };
}

/**
 * Splits a JSON list into the text of each element before parsing it. Throws `usage.bad-input` if the text is
 * not a list of valid values.
 */
function createListCutter(shown: string, take: TakeValue): Cutter {
  let position: 'before' | 'inside' | 'after' = 'before';
  let line = 1;
  let begun = 0; // The line where the current element starts, or 0 between elements.
  let pending = ''; // The start of the current element, buffered from earlier chunks.
  let depth = 0;
  let count = 0;
  let isText = false;
  let isEscaped = false;

  const finish = (text: string): void => {
    const value = begun === 0 ? undefined : parseRecord(text);
    if (value === undefined) throw notJson(shown, begun || line);
    take(value, begun, text);
    [begun, pending, count] = [0, '', count + 1];
  };

  /** Handles one character outside a quoted string. Returns true if it ends an element. */
  const step = (char: string): boolean => {
    if (position !== 'inside') {
      if (char.trim() === '') return false;
      if (position === 'after' || char !== '[') throw notJson(shown, line);
      position = 'inside';
      return false;
    }
    if (depth === 0 && (char === ',' || char === ']')) {
      if (char === ']') position = 'after';
      return char === ',' || begun !== 0 || count > 0;
    }
    if (char === '"') isText = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth = Math.max(0, depth - 1);
    if (begun === 0 && char.trim() !== '') begun = line;
    return false;
  };

  return {
    push(piece) {
      let start = position === 'inside' ? 0 : -1;
      for (let at = 0; at < piece.length; at += 1) {
        const char = piece.charAt(at);
        if (char === '\n') line += 1;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (char === '\\') isEscaped = true;
          else if (char === '"') isText = false;
          continue;
        }
        const before = position;
        if (step(char)) {
          finish(pending + piece.slice(start, at));
          start = at + 1;
        } else if (before === 'before' && position === 'inside') start = at + 1;
      }
      if (position !== 'inside') return;
      pending += piece.slice(start);
      if (pending.length > longestText) throw tooLong(shown, begun);
    },
    end() {
      if (position === 'after') return;
      const message = `"${shown}" ends on line ${line}, before its list is closed.`;
      throw badFile(message, 'The file may be incomplete: create it again.', line);
    },
  };
}

function notJson(shown: string, line: number): Error {
  const hint = 'A file must contain a list of objects, or one object on each line.';
  return badFile(`Line ${line} of "${shown}" is not valid JSON.`, hint, line);
}

function tooLong(shown: string, line: number): Error {
  const what = `The record on line ${line} of "${shown}" has more than ${longestText.toLocaleString('en')} characters.`;
  return tooLarge(what, 'Check that line for an unclosed quote or bracket.');
}

/**
 * Parses JSON text. Returns undefined if it is invalid or nested too deeply. Keeps properties with any name,
 * and converts large integers that would lose precision to strings of digits.
 */
function parseRecord(text: string): Json | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || !/\d{16}|"(?:__proto__|constructor|prototype)"/.test(text)) return value;
  const digits = new Map<unknown, Map<string, string>>(); // By object, then by property.
  const whole = JSON.parse(text, function (this: unknown, key, value: unknown, more?: Source) {
    const source = more?.source ?? '';
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source))
      digits.set(this, (digits.get(this) ?? new Map<string, string>()).set(key, source));
    return value;
  }) as JsonObject;
  const exact = digits.get(whole);
  return Object.fromEntries(
    Object.entries(whole).map(([key, member]) => [key, exact?.get(key) ?? copyOf(member)] as const),
  );
}

/** The context that `JSON.parse` passes to its reviver, with the source text of a primitive value. */
interface Source {
  readonly source?: string;
}

function copyOf(value: Json): Json {
  return typeof value === 'object' ? (parseJson(JSON.stringify(value)) ?? null) : value;
}

/** Whether an object in JSON text has duplicate properties. A parser would keep only the last one. */
export function hasRepeats(text: string, value: JsonObject): boolean {
  let depth = 0;
  let members = 0;
  for (const [part] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:]/gs)) {
    if (part === '{' || part === '[') depth += 1;
    else if (part === '}' || part === ']') depth -= 1;
    else if (part === ':' && depth === 1) members += 1;
  }
  return members > Object.keys(value).length;
}

/** Describes the type of a value that is not a record, for messages. */
export function jsonKind(value: Json | undefined): string {
  if (value === undefined) return 'invalid or too deeply nested JSON';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
