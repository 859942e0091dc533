import { unsafeKeys, type Json } from '../json.ts';
import type { FrontmatterLimits, YamlMapping } from './yaml.ts';

// Matches one line: two spaces if the key is nested, the key, and an optional value. The value is JSON, plain
// text, or quoted text without escapes.
const line =
  /( {2})?([A-Za-z_][\w-]*):(?: +(?:"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*)" *|'([^'\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*)' *|([A-Za-z0-9{[][^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*))| *)(?:\n|$)/y; // eslint-disable-line no-control-regex -- the YAML parser handles other text

/**
 * Parses frontmatter that consists only of `key: value` lines, with at most one level of nesting. Returns the
 * same result as the YAML parser, but is much faster. Returns undefined if the text needs the YAML parser.
 */
export function parsePlainYaml(source: string, limits: FrontmatterLimits): YamlMapping | undefined {
  if (!source.isWellFormed()) return undefined;
  const value: Record<string, Json> = {};
  const lines = new Map<string, number>();
  let inner: Record<string, Json> | undefined;
  let open = '';
  let keyCount = 0;
  line.lastIndex = 0;
  for (let number = 1; line.lastIndex < source.length; number++) {
    const found = line.exec(source);
    const key = found?.[2];
    if (found === null || key === undefined || unsafeKeys.has(key)) return undefined;
    const json = /^[{[]/.test(found[5] ?? '') ? parsePlainJson(found[5] ?? '') : undefined;
    const written = found[3] ?? found[4] ?? (json === undefined ? plainScalar(found[5]) : json.value);
    keyCount += 1 + (json?.keyCount ?? 0);
    const depth = (json?.depth ?? 0) + (found[1] === undefined ? 1 : 2);
    if (written === undefined || keyCount > limits.frontmatterKeys || depth > limits.frontmatterDepth)
      return undefined;
    if (found[1] === undefined) {
      if (Object.hasOwn(value, key)) return undefined;
      value[key] = written;
      lines.set(key, number);
      open = written === null ? key : '';
      inner = undefined;
      continue;
    }
    if (open === '' || written === null) return undefined;
    if (inner === undefined) value[open] = inner = {};
    if (Object.hasOwn(inner, key)) return undefined;
    inner[key] = written;
  }
  return {
    ok: true,
    value,
    skipped: [],
    keyCount,
    isBlank: (key) => Object.hasOwn(value, key) && value[key] === null,
    lineOf: (key) => lines.get(key),
  };
}

/**
 * Returns a plain one-line value, null for an empty value, or undefined if YAML would not parse the value as
 * plain text.
 */
function plainScalar(text: string | undefined): string | null | undefined {
  if (text === undefined) return null;
  let end = text.length;
  while (text[end - 1] === ' ') end--;
  const trimmed = text.slice(0, end);
  if (/^[{[]/.test(trimmed) || trimmed.includes(': ') || trimmed.includes(' #') || trimmed.endsWith(':'))
    return undefined;
  return /^null$/i.test(trimmed) ? undefined : trimmed;
}

/** A JSON value on one line, parsed as YAML would parse it: every scalar except null becomes text. */
interface PlainJson {
  readonly value: Json;
  readonly keyCount: number;
  /** The number of nested collection levels, including this one. */
  readonly depth: number;
}

const longestKey = 500;

/**
 * Parses a JSON collection without escapes if the YAML parser would return the same result. Returns undefined
 * if the text needs the YAML parser.
 */
function parsePlainJson(text: string): PlainJson | undefined {
  if (text.includes('\\')) return undefined;
  const bare = text.replace(/"[^"]*"/g, '""');
  if (/[^[\]{},:" truefalsn0-9]|\d[a-z]/.test(bare)) return undefined;
  const parsed = parseOrUndefined(text);
  if (parsed === undefined) return undefined;
  const count = { keys: 0, depth: 0 };
  const value = asWritten(parsed, 1, count);
  // If a key is repeated, the parsed value has fewer keys than the text.
  const written = bare.match(/"" *:/g)?.length ?? 0;
  return value === undefined || count.keys !== written
    ? undefined
    : { value, keyCount: count.keys, depth: count.depth };
}

function parseOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // The text resembles JSON but is not valid JSON.
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
    const written = asWritten(inner, depth + 1, count);
    count.keys++;
    if (written === undefined || unsafeKeys.has(key) || key.length > longestKey) return undefined;
    fields[key] = written;
  }
  return fields;
}
