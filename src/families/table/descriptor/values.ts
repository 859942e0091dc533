import { listItems } from '../../../core/index.ts';
import type { FieldPattern } from './definition.ts';

/** A short value without the marks around it: bullet, code, bold, quotes, final full stop. */
export function plainValue(text: string): string {
  return withoutCode(text.trim().replace(/^[-*+]\s+/, ''))
    .replace(/^\*\*(.*)\*\*$/s, '$1')
    .replace(/\.$/, '')
    .trim();
}

/** The entries of `[a, b]`, of a bullet list, of a comma list or of lines, whichever it is. */
export function listIn(text: string): readonly string[] {
  const bracketed = /^\[([^\][]*)\]$/s.exec(text.trim());
  const items =
    bracketed === null && isBulletList(text) ? bulletsIn(text) : (bracketed?.[1] ?? text).split(/[,\n]/);
  return [...new Set(items.map((item) => unquoted(item.trim())).filter(Boolean))];
}

/** The values that an enumerator lists; undefined when it only describes them. */
export function listedValues(text: string): readonly string[] | undefined {
  const brackets = text.match(/\[[^\][]*\](?!\()/g) ?? [];
  const bracketed = brackets.find((found) => found.includes(',') || found === text.trim());
  if (bracketed !== undefined) return listIn(bracketed);
  return isBulletList(text) ? listIn(text) : undefined;
}

/** A number that may carry its unit, such as `50 characters`; undefined for anything else. */
export function numberIn(text: string): number | undefined {
  const found = /^([+-]?\d{1,15}(?:\.\d{1,15})?)(?: +\p{L}+){0,3}$/u.exec(plainValue(text));
  return found === null ? undefined : Number(found[1]);
}

/** A pattern, bare, as code or between slashes; undefined when it does not compile. */
export function patternIn(text: string): FieldPattern | undefined {
  const written = withoutCode(text.trim());
  const slashed = /^\/(.+)\/([a-z]*)$/s.exec(written);
  const pattern = { source: slashed?.[1] ?? written, flags: (slashed?.[2] ?? '').replace(/[gy]/g, '') };
  try {
    new RegExp(pattern.source, pattern.flags);
    return pattern;
  } catch {
    return undefined; // reported by whoever knows the line
  }
}

/** A default as text: one pair of quotes is not part of it, and null is no default. */
export function defaultIn(text: string): string | undefined {
  const value = unquoted(withoutCode(text.trim()));
  return /^null$/i.test(text.trim()) ? undefined : value;
}

/** A name in a database: in double quotes it is read as JSON has texts, whatever is in it. */
export function databaseName(text: string): string {
  const written = withoutCode(text.trim());
  if (!/^".*"$/.test(written)) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    return unquoted(written); // a quote inside that JSON would have escaped
  }
}

/** Whether the text of a yes-or-no attribute says yes; a bare heading does, prose is neither. */
export function saysYes(text: string): boolean {
  return /^(?:yes|true|on|1|always|(?:always )?required|mandatory|unique|indexed)?$/i.test(plainValue(text));
}

/** Whether the text of a yes-or-no attribute says no. */
export function saysNo(text: string): boolean {
  return /^(?:no|false|off|0|none|never|optional|not (?:required|unique|indexed))$/i.test(plainValue(text));
}

function isBulletList(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => /^\s*(?:[-*+]|\d+[.)])\s+\S/.test(line));
}

/** Of a bullet that starts with code only the code counts: the rest explains it. */
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
