import { lazy } from './collections.ts';
import type { Issue } from './issue.ts';

/** An item in a descriptor's list, with its one-based line number. */
export interface ListEntry {
  readonly text: string;
  readonly line: number;
}

/**
 * Returns the skill names in a list, normalised for lookups, with their line numbers. Qualifiers such as
 * `project:` or `group/` are kept.
 */
export function skillNames(
  entries: readonly ListEntry[] | undefined,
  issues: Issue[],
): ReadonlyMap<string, number> | undefined {
  if (entries === undefined) return undefined;
  const names = new Map<string, number>();
  for (const { text, line } of entries) {
    const name = nameInList(text);
    if (name === '') issues.push(noName(text, line));
    else if (!names.has(name)) names.set(name, line);
  }
  return names;
}

/**
 * Returns the normalised name in an item of a skill list, or an empty string if the item is not a valid name.
 * Pure.
 */
export function nameInList(item: string): string {
  return /\s/.test(item) ? normaliseName(item) : qualifiedName(item);
}

function qualifiedName(item: string): string {
  const parts = item
    .split(/([:/])/)
    .map((part) => (part === ':' || part === '/' ? part : normaliseName(part)));
  return parts.includes('') ? normaliseName(item) : parts.join('');
}

function noName(item: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'list.name',
    message: `"${item}" is not a valid skill name, so it does not allow any skill.`,
    line,
    hint: 'Write one name per line.',
  };
}

const plain = /^[a-z0-9_]+(?:-[a-z0-9_]+)*$/;
// Matches every character except visible letters, digits and underscores, together with the combining marks
// that follow it. Also matches combining marks at the start of the text.
const outside = lazy(() => /^\p{M}+|[^\p{L}\p{M}\p{Nd}_][^\p{L}\p{Nd}_]*/gu);
const invisible = lazy(() => /\p{Default_Ignorable_Code_Point}/gu);

/**
 * Returns the canonical form for names and lookups: NFKC, lower case, and each run of other characters
 * replaced by one hyphen.
 */
export function normaliseName(text: string): string {
  if (plain.test(text)) return text;
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(invisible(), ' ');
  return trimHyphens(folded.replace(outside(), (run) => (/^-+$/.test(run) ? run : '-')));
}

function trimHyphens(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '-') start++;
  while (end > start && text[end - 1] === '-') end--;
  return text.slice(start, end);
}

const normalKeys = new Map<string, string>();

/**
 * Returns a canonical form for comparing headings and keys. The comparison ignores case and treats spaces,
 * hyphens and underscores as equal.
 */
export function normaliseKey(text: string): string {
  const known = normalKeys.get(text);
  if (known !== undefined) return known;
  const normal = text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');
  // Descriptors use few distinct keys. The limits stop untrusted keys from filling the cache.
  if (normalKeys.size < 1000 && text.length <= 64) normalKeys.set(text, normal);
  return normal;
}

const longestCompared = 200;

/**
 * Returns the candidates most similar to a word, nearest first, ignoring case. The list is empty if none is
 * close enough to be a typo.
 */
export function nearestNames(typed: string, candidates: Iterable<string>, most = 3): readonly string[] {
  const target = typed.slice(0, longestCompared).toLowerCase();
  const allowed = Math.min(Math.max(1, Math.floor(target.length / 3)), target.length - 1);
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(candidates)) {
    const other = name.slice(0, longestCompared).toLowerCase();
    const contains =
      target.length > 2 && other.length > 2 && (other.includes(target) || target.includes(other));
    const distance = editDistance(target, other, allowed);
    if (distance <= allowed) scored.push({ name, score: distance });
    else if (contains) scored.push({ name, score: allowed + 1 });
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, most).map((entry) => entry.name);
}

/** Returns a hint that suggests the nearest candidates, or undefined if there are none. */
export function didYouMean(typed: string, candidates: Iterable<string>): string | undefined {
  return nearHint(nearestNames(typed, candidates));
}

/** Returns a hint that suggests the given similar names, or undefined if the list is empty. */
export function nearHint(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

// The minimum length of a word that is checked for typos. Shorter words are often only one edit away from an
// unrelated word.
const shortestTyped = 5;

/** Whether typed text differs from a known name by one typo: a wrong, missing, extra or swapped character. */
export function isTypoOf(typed: string, known: string): boolean {
  return typed.length >= shortestTyped && editDistance(typed, known, 1) === 1;
}

/**
 * Counts the edits (insertions, deletions, replacements and swaps of adjacent characters) between two words.
 * Returns `limit + 1` if there are more than `limit`.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, at(before, j - 2) + 1);
      row.push(value);
      best = Math.min(best, value);
    }
    if (best > limit) return limit + 1;
    before = previous;
    previous = row;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/**
 * Whether a string matches a pattern in which `*` matches any number of characters, including none. Both
 * arguments can also be arrays, in which case each item is compared as a whole. The number of steps never
 * exceeds the product of the two lengths.
 */
export function matchesWildcard(pattern: ArrayLike<string>, text: ArrayLike<string>): boolean {
  let next = 0;
  let at = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++;
      afterStar = at;
    } else if (next < pattern.length && pattern[next] === text[at]) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++afterStar;
    } else {
      return false;
    }
  }
  while (pattern[next] === '*') next++;
  return next === pattern.length;
}

/**
 * The assistant's name in logs. The assistant is the orchestrator for prompts that no skill handles. No skill
 * on disk can have this name.
 */
export const assistantName = '(assistant)';

const earlierAssistantName = '(ad-hoc)'; // The assistant's name in logs and rules of release 0.1.

/** The names that rules can use for the assistant, including the one from release 0.1. */
export const assistantNames: readonly string[] = [assistantName, earlierAssistantName];

/** Whether a name in a log refers to the assistant. */
export function isAssistant(name: string): boolean {
  return assistantNames.includes(name);
}

/** Returns the name to display for a skill name from a log. */
export function shownSkillName(name: string): string {
  return isAssistant(name) ? assistantName : name;
}
