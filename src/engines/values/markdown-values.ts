import { listItems } from '../../core/index.ts';
import type { FieldPattern } from './patterns.ts';

/** Removes the markup around a short value: a bullet, code or bold markers, and a final full stop. */
export function plainValue(text: string): string {
  return withoutCode(text.trim().replace(/^[-*+]\s+/, ''))
    .replace(/^\*\*(.*)\*\*$/s, '$1')
    .replace(/\.$/, '')
    .trim();
}

/** Returns the entries of a `[a, b]` list, a bullet list, a comma-separated list or separate lines. */
export function listIn(text: string): readonly string[] {
  const bracketed = /^\[([^\][]*)\]$/s.exec(text.trim());
  const items =
    bracketed === null && isBulletList(text) ? bulletsIn(text) : (bracketed?.[1] ?? text).split(/[,\n]/);
  return [...new Set(items.map((item) => unquoted(item.trim())).filter(Boolean))];
}

/** Returns the values that an enumerator lists, or undefined if it describes them in prose. */
export function listedValues(text: string): readonly string[] | undefined {
  const brackets = text.match(/\[[^\][]*\](?!\()/g) ?? [];
  const bracketed = brackets.find((found) => found.includes(',') || found === text.trim());
  if (bracketed !== undefined) return listIn(bracketed);
  return isBulletList(text) ? listIn(text) : undefined;
}

/** Reads a number with an optional unit, such as `50 characters`. Returns undefined for anything else. */
export function numberIn(text: string): number | undefined {
  const found = /^([+-]?\d{1,15}(?:\.\d{1,15})?)(?: +\p{L}+){0,3}$/u.exec(plainValue(text));
  return found === null ? undefined : Number(found[1]);
}

/** Reads a regular expression: plain, as code or between slashes. Returns undefined if it is invalid. */
export function patternIn(text: string): FieldPattern | undefined {
  const written = withoutCode(text.trim());
  const slashed = /^\/(.+)\/([a-z]*)$/s.exec(written);
  const pattern = { source: slashed?.[1] ?? written, flags: (slashed?.[2] ?? '').replace(/[gy]/g, '') };
  try {
    new RegExp(pattern.source, pattern.flags);
    return pattern;
  } catch {
    return undefined; // The pattern is invalid. The caller reports it with its line number.
  }
}

/** Reads a default value as text, without any quotes around it. Returns undefined for null. */
export function defaultIn(text: string): string | undefined {
  const value = unquoted(withoutCode(text.trim()));
  return /^null$/i.test(text.trim()) ? undefined : value;
}

/** Reads a database name. A name in double quotes is read as a JSON string and can contain any character. */
export function databaseName(text: string): string {
  const written = withoutCode(text.trim());
  if (!/^".*"$/.test(written)) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    // The name is not valid JSON, for example because it contains an unescaped quote.
    return unquoted(written);
  }
}

/**
 * Whether a boolean attribute is true. An attribute without text is true. Other prose is neither true nor
 * false.
 */
export function saysYes(text: string): boolean {
  return /^(?:yes|true|on|1|always|(?:always )?required|mandatory|unique|indexed)?$/i.test(plainValue(text));
}

/** Whether a boolean attribute is false. */
export function saysNo(text: string): boolean {
  return /^(?:no|false|off|0|none|never|optional|not (?:required|unique|indexed))$/i.test(plainValue(text));
}

function isBulletList(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => /^\s*(?:[-*+]|\d+[.)])\s+\S/.test(line));
}

/** Reads bullets. If a bullet starts with code, only the code is used, because the rest is an explanation. */
function bulletsIn(text: string): readonly string[] {
  return listItems(text).map((item) => /^`([^`]+)`/.exec(item)?.[1] ?? item);
}

function withoutCode(text: string): string {
  const fence = /^(?:```|~~~)[^\n]*\n(.*?)\n?(?:```|~~~)$/s.exec(text);
  return fence?.[1] ?? text.replace(/^`([^`]+)`$/, '$1');
}

function unquoted(text: string): string {
  return withoutCode(text).replace(/^(["'])(.*)\1$/s, '$2');
}
