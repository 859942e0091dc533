import { unsafeKeys, type Json } from './json.ts';

/** JSON on one line as YAML sees it: every scalar but null is the text as written. */
export interface PlainJson {
  readonly value: Json;
  readonly keyCount: number;
  /** Nested collections, this one included. */
  readonly depth: number;
}

const longestKey = 500;

/**
 * A collection written in JSON without escapes, read by the JSON parser where YAML's own would say the same.
 * Undefined leaves the text to YAML.
 */
export function parsePlainJson(text: string): PlainJson | undefined {
  if (text.includes('\\')) return undefined;
  const bare = text.replace(/"[^"]*"/g, '""');
  if (/[^[\]{},:" truefalsn0-9]|\d[a-z]/.test(bare)) return undefined;
  const parsed = parseOrUndefined(text);
  if (parsed === undefined) return undefined;
  const count = { keys: 0, depth: 0 };
  const value = asWritten(parsed, 1, count);
  // The JSON parser keeps the last of two equal keys; then there are fewer keys than were written.
  const written = bare.match(/"" *:/g)?.length ?? 0;
  return value === undefined || count.keys !== written
    ? undefined
    : { value, keyCount: count.keys, depth: count.depth };
}

function parseOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // YAML that only looks like JSON
  }
}

function asWritten(value: Json, depth: number, count: { keys: number; depth: number }): Json | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : undefined;
  if (typeof value !== 'object' || value === null) return value;
  count.depth = Math.max(count.depth, depth);
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => asWritten(item, depth + 1, count));
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  const fields: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) {
    const kept = asWritten(inner, depth + 1, count);
    count.keys++;
    if (kept === undefined || unsafeKeys.has(key) || key.length > longestKey) return undefined;
    fields[key] = kept;
  }
  return fields;
}
