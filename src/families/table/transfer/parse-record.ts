import { isJsonObject, parseJson, type Json, type JsonObject } from '../../../core/index.ts';

/**
 * Parses JSON text. Returns undefined if it is invalid or nested too deeply. Keeps properties with any name,
 * and converts large integers that would lose precision to strings of digits.
 */
export function parseRecord(text: string): Json | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || !/\d{16}|"(?:__proto__|constructor|prototype)"/.test(text)) return value;
  return wholeRecord(text);
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

function wholeRecord(text: string): JsonObject {
  const exact: { readonly holder: unknown; readonly key: string; readonly source: string }[] = [];
  const whole = JSON.parse(text, function (this: unknown, key, value: unknown, more?: Source) {
    const source = more?.source ?? '';
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source))
      exact.push({ holder: this, key, source });
    return value;
  }) as JsonObject;
  const digits = new Map(
    exact.filter(({ holder }) => holder === whole).map(({ key, source }) => [key, source]),
  );
  const entries = Object.entries(whole).map(
    ([key, value]) => [key, digits.get(key) ?? plain(value)] as const,
  );
  return Object.fromEntries(entries);
}

function plain(value: Json): Json {
  return typeof value === 'object' ? (parseJson(JSON.stringify(value)) ?? null) : value;
}

/** The context that `JSON.parse` passes to its reviver, with the source text of a primitive value. */
interface Source {
  readonly source?: string;
}
