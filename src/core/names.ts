import type { Issue } from './issue.ts';

/** The skills a list names, in the form that look-ups compare; a qualifier such as `project:` or `group/` stays. */
export function skillNames(
  items: readonly string[] | undefined,
  line: number,
  issues: Issue[],
): readonly string[] | undefined {
  if (items === undefined) return undefined;
  const names: string[] = [];
  for (const item of items) {
    const name = /\s/.test(item) ? normaliseName(item) : qualifiedName(item);
    if (name === '') issues.push(noName(item, line));
    else if (!names.includes(name)) names.push(name);
  }
  return names;
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
    message: `"${item}" is not the name of a skill and allows nothing.`,
    line,
    hint: 'Write one name a line.',
  };
}

const plain = /^[a-z0-9_]+(?:-[a-z0-9_]+)*$/;
// Whatever is no visible letter, digit or underscore, with the marks that hang on it; also marks at the very start.
const outside = /^\p{M}+|[^\p{L}\p{M}\p{Nd}_][^\p{L}\p{Nd}_]*/gu;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** The canonical form of a name, and of every look-up: NFKC, lower case, runs of other characters to one hyphen each. */
export function normaliseName(text: string): string {
  if (plain.test(text)) return text;
  const letters = text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(invisible, ' ');
  return trimHyphens(letters.replace(outside, (run) => (/^-+$/.test(run) ? run : '-')));
}

function trimHyphens(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '-') start++;
  while (end > start && text[end - 1] === '-') end--;
  return text.slice(start, end);
}

const normalKeys = new Map<string, string>();

/** The form in which headings and keys are compared: no case; space, hyphen and underscore alike. */
export function normaliseKey(text: string): string {
  const known = normalKeys.get(text);
  if (known !== undefined) return known;
  const normal = text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');
  // The same few keys come by for every descriptor; the cap keeps strangers' keys from piling up.
  if (normalKeys.size < 1000 && text.length <= 64) normalKeys.set(text, normal);
  return normal;
}

const longestCompared = 200;

/** The candidates most like a word, nearest first, case aside; empty when none is near enough to be a slip of the keyboard. */
export function nearestNames(word: string, candidates: Iterable<string>, most = 3): readonly string[] {
  const wanted = word.slice(0, longestCompared).toLowerCase();
  const allowed = Math.min(Math.max(1, Math.floor(wanted.length / 3)), wanted.length - 1);
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(candidates)) {
    const other = name.slice(0, longestCompared).toLowerCase();
    const contains =
      wanted.length > 2 && other.length > 2 && (other.includes(wanted) || wanted.includes(other));
    const distance = editDistance(wanted, other, allowed);
    if (distance <= allowed) scored.push({ name, score: distance });
    else if (contains) scored.push({ name, score: allowed + 1 });
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, most).map((entry) => entry.name);
}

/** A hint that offers the nearest names, or undefined when there are none. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  return nearHint(nearestNames(word, candidates));
}

/** The same for names that are known to be near. */
export function nearHint(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

/** Edits (insert, delete, replace, swap of neighbours) between two words; anything past `limit` is `limit + 1`. */
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
 * Whether a text has the form of a pattern in which `*` stands for any characters, none included. Both may be cut into
 * units longer than a character. Takes at most the product of both lengths in steps.
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

/** What the log calls a skill that was made for a prompt; no skill on disk can have this name. */
export const adHocName = '(ad-hoc)';
