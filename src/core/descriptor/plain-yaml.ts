import { unsafeKeys, type Json } from '../json.ts';
import type { FrontmatterLimits, YamlMapping } from './yaml.ts';

// One line: two blanks for a nested key, the key, and a value: in quotes without escapes, plain from its first letter, or JSON.
const line =
  /( {2})?([A-Za-z_][\w-]*):(?: +(?:"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*)" *|'([^'\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*)' *|([A-Za-z0-9{[][^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*))| *)(?:\n|$)/y; // eslint-disable-line no-control-regex -- what YAML refuses is left to it

/**
 * Frontmatter that is nothing but `key: value` lines, nested once at most, read at a fraction of the parser's cost.
 * Undefined leaves the text to the YAML parser; where there is an answer, it is the parser's.
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
  return { ok: true, value, skipped: [], keyCount, lineOf: (key) => lines.get(key) };
}

/** A plain value on one line; null when there is none, undefined when YAML sees more in it than text. */
function plainScalar(text: string | undefined): string | null | undefined {
  if (text === undefined) return null;
  let end = text.length;
  while (text[end - 1] === ' ') end--;
  const trimmed = text.slice(0, end);
  if (/^[{[]/.test(trimmed) || trimmed.includes(': ') || trimmed.includes(' #') || trimmed.endsWith(':'))
    return undefined;
  return /^null$/i.test(trimmed) ? undefined : trimmed;
}

/** JSON on one line as YAML sees it: every scalar but null is the text as written. */
interface PlainJson {
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
function parsePlainJson(text: string): PlainJson | undefined {
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
