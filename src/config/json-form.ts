import { isJsonObject, type Json } from '../core/json.ts';
import type { JsonPlace } from './json-places.ts';

/** A value as it is written behind an indentation: members on lines of their own, short lists on one. Pure. */
export function written(value: Json, indent: string, newline: string): string {
  const deeper = `${indent}  `;
  const block = (open: string, parts: readonly string[], close: string): string =>
    `${open}${newline}${deeper}${parts.join(`,${newline}${deeper}`)}${newline}${indent}${close}`;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    const parts = value.map((item: Json) => written(item, deeper, newline));
    return line.length <= 80 ? line : block('[', parts, ']');
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${written(inner, deeper, newline)}`,
  );
  return block('{', members, '}');
}

/** The indentation of the members of an object, or what it would be. Pure. */
export function indentOf(text: string, { start, members = [] }: JsonPlace): string {
  const first = members.find((member) => /(?:^|\n)[ \t]*$/.test(text.slice(0, member.start)));
  return first === undefined ? `${lineIndent(text, start)}  ` : lineIndent(text, first.start);
}

/** The indentation of the line in which a place lies. Pure. */
export function lineIndent(text: string, place: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', place - 1) + 1))?.[0] ?? '';
}

/** The line end that a text uses. Pure. */
export function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
