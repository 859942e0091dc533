import { hash } from 'node:crypto';
import { AgentError } from '../error.ts';
import { unsafeKeys, type Json, type JsonObject } from '../json.ts';

const deepest = 64; // The maximum nesting depth, the same as for parsing JSON text.

/**
 * Converts any value as a round trip through JSON would, except that it drops unsafe keys and converts big
 * integers to strings. Throws if the value is circular or nested too deeply.
 */
export function toPlain(value: unknown): Json {
  return plainOf(value, '', []) ?? null;
}

/** Converts one value. Returns undefined for a value that JSON omits. */
function plainOf(given: unknown, key: string, parents: readonly object[]): Json | undefined {
  if (parents.length >= deepest) throw tooDeep();
  const value = unboxed(withToJson(given, key));
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // Adding zero turns minus zero into zero, because `JSON.stringify` writes minus zero as 0.
      return Number.isFinite(value) ? value + 0 : null;
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : plainObject(value, parents);
    default:
      return undefined;
  }
}

function plainObject(value: object, parents: readonly object[]): Json {
  if (parents.includes(value)) throw circular();
  const inside = [...parents, value];
  if (Array.isArray(value))
    return Array.from(value, (item: unknown, index) => plainOf(item, String(index), inside) ?? null);
  const plain: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (unsafeKeys.has(key)) continue;
    const inner = plainOf((value as Record<string, unknown>)[key], key, inside);
    if (inner !== undefined) plain[key] = inner;
  }
  return plain;
}

function withToJson(value: unknown, key: string): unknown {
  const isAsked = typeof value === 'object' || typeof value === 'function' || typeof value === 'bigint';
  if (!isAsked || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? Reflect.apply(toJSON, value, [key]) : value;
}

function unboxed(value: unknown): unknown {
  if (typeof value !== 'object') return value;
  if (value instanceof String) return String(value);
  if (value instanceof Number) return Number(value);
  return value instanceof Boolean || value instanceof BigInt ? value.valueOf() : value;
}

function circular(): AgentError {
  return new AgentError('skill.failed', 'The value contains itself, so it cannot be stored as JSON.', {
    hint: 'Return a value without circular references. For example, use the id of the parent instead of the parent itself.',
  });
}

function tooDeep(): AgentError {
  return new AgentError('skill.failed', `The value is nested deeper than ${deepest} levels.`, {
    hint: 'Return a flatter value, such as a list whose items name their parents.',
  });
}

/**
 * Returns a short hash of 16 hexadecimal characters. Equal values have the same hash, regardless of the order
 * of their keys.
 */
export function hashOf(value: Json): string {
  return hash('sha256', canonicalJson(value)).slice(0, 16);
}

/** Returns a value's canonical JSON: keys sorted by code unit, no whitespace. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const inner = canonicalJson((value as JsonObject)[key] as Json);
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${inner}`;
  }
  return `{${text}}`;
}
