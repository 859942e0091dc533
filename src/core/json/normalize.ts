import { hash } from 'node:crypto';
import { AgentError } from '../error.ts';
import { isJsonObject, unsafeKeys, type Json } from '../json.ts';

const deepest = 64; // levels, as for JSON text

/** Any value as JSON would bring it back, without unsafe keys and with big integers as text; throws when it is circular or too deep. */
export function toPlain(value: unknown): Json {
  return plainOf(value, '', []) ?? null;
}

/** Undefined for what JSON leaves out. */
function plainOf(given: unknown, key: string, parents: readonly object[]): Json | undefined {
  if (parents.length >= deepest) throw tooDeep();
  const value = unboxed(withToJson(given, key));
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value + 0 : null; // plus zero: there is no minus zero in JSON
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
  const entries = Object.keys(value)
    .filter((key) => !unsafeKeys.has(key))
    .map((key) => [key, plainOf((value as Record<string, unknown>)[key], key, inside)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function withToJson(value: unknown, key: string): unknown {
  const isAsked = typeof value === 'object' || typeof value === 'function' || typeof value === 'bigint';
  if (!isAsked || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? Reflect.apply(toJSON, value, [key]) : value;
}

function unboxed(value: unknown): unknown {
  if (value instanceof String) return String(value);
  if (value instanceof Number) return Number(value);
  return value instanceof Boolean || value instanceof BigInt ? value.valueOf() : value;
}

function circular(): AgentError {
  return new AgentError('skill.failed', 'The value contains itself, so it cannot be kept as JSON.', {
    hint: 'Return a value without circular references, such as an id in place of the parent.',
  });
}

function tooDeep(): AgentError {
  return new AgentError('skill.failed', `The value is nested deeper than ${deepest} levels.`, {
    hint: 'Return a flatter value, such as a list whose items name their parents.',
  });
}

/** Short and the same for equal values, whatever the order of their keys: 16 hexadecimal characters. */
export function hashOf(value: Json): string {
  return hash('sha256', canonicalJson(value)).slice(0, 16);
}

/** The one text of a value: keys in the order of their code units, no white space. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${members.join(',')}}`;
}
