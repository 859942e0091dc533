import { optional } from '../collections.ts';
import type { Frontmatter } from './frontmatter.ts';
import type { Issue } from '../issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { didYouMean, normaliseKey } from '../names.ts';
import { warnRenamed } from '../renamed/renamed.ts';

/**
 * A reader for frontmatter fields. A value of the wrong type is reported as an issue and treated as absent;
 * an unreadable list is treated as empty.
 */
export interface Fields {
  has(key: string): boolean;
  raw(key: string): Json | undefined;
  text(key: string): string | undefined;
  flag(key: string): boolean | undefined;
  /**
   * Returns the items of a YAML list, or splits text at whitespace and commas outside brackets and quotes.
   */
  list(key: string): readonly string[] | undefined;
  /** Like `list`, for a list of permissions: a key without a value is reported and read as an empty list. */
  allowList(key: string): readonly string[] | undefined;
  map(key: string): JsonObject | undefined;
  wholeNumber(key: string): number | undefined;
  /** Returns the choice that the field's value matches, ignoring case. */
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined;
  /** @deprecated Use `choice`. */
  word<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined;
}

/**
 * Creates a reader for frontmatter fields. Each issue is added to `issues` only once, however often a field
 * is read.
 */
export function fieldsOf(head: Frontmatter, issues: Issue[]): Fields {
  const reported = new Set<string>();
  const push = (issue: Issue): void => {
    if (!reported.has(issue.message)) issues.push(issue);
    reported.add(issue.message);
  };
  const report = (key: string, expected: string, lost = 'it was ignored'): void => {
    const message = `"${key}" should be ${expected}; ${lost}.`;
    push({ level: 'warning', code: 'field.type', message, ...optional('line', head.lineOf(key)) });
  };
  const get = (key: string): Json | undefined => head.fields.get(key) ?? head.fields.get(normaliseKey(key));
  const list = (key: string): readonly string[] | undefined => {
    const value = get(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return splitList(value);
    const items = Array.isArray(value) ? value.filter((item) => item !== null) : [value];
    const texts = items.filter((item) => typeof item === 'string');
    if (texts.length < items.length) report(key, 'a list of strings', 'other items were ignored');
    return texts.map((text) => text.trim()).filter(Boolean);
  };
  return {
    has: (key) => get(key) !== undefined,
    raw: get,
    text(key) {
      const value = get(key);
      if (value === undefined || typeof value === 'string') return value;
      report(key, 'a string');
      return undefined;
    },
    flag(key) {
      const value = get(key);
      const written = typeof value === 'string' ? value.trim().toLowerCase() : '';
      if (['true', 'yes', 'on', '1'].includes(written)) return true;
      if (['false', 'no', 'off', '0'].includes(written)) return false;
      if (value !== undefined) report(key, 'true or false');
      return undefined;
    },
    list,
    allowList(key) {
      if (!head.isBlank(key)) return list(key);
      push(emptyListIssue(`"${key}"`, head.lineOf(key)));
      return [];
    },
    map(key) {
      const value = get(key);
      if (value === undefined || isJsonObject(value)) return value;
      report(key, 'a map');
      return undefined;
    },
    wholeNumber(key) {
      const value = get(key);
      if (typeof value === 'string' && /^\d{1,15}$/.test(value.trim())) return Number(value);
      if (value !== undefined) report(key, 'a whole number');
      return undefined;
    },
    choice(key, choices) {
      const value = get(key);
      const written = typeof value === 'string' ? value.trim().toLowerCase() : '';
      const found = choices.find((choice) => choice.toLowerCase() === written);
      if (value !== undefined && found === undefined)
        report(key, choices.map((choice) => `"${choice}"`).join(' or '));
      return found;
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- accepted until the next release
    word(key, choices) {
      warnRenamed('fields.word', 'fields.choice');
      return this.choice(key, choices);
    },
  };
}

/** Reports frontmatter fields that are not in the known list. */
export function unknownFields(head: Frontmatter, known: readonly string[]): readonly Issue[] {
  const normal = new Set(known.map(normaliseKey));
  return head.keys
    .filter((key) => !normal.has(normaliseKey(key)))
    .map((key) => {
      const line = head.lineOf(key);
      return {
        level: 'warning',
        code: 'field.unknown',
        message: `Unknown field "${key}"; it is ignored.`,
        ...(line === undefined ? {} : { line }),
        hint: didYouMean(normaliseKey(key), normal) ?? 'Move the field under "metadata".',
        standard: true,
      };
    });
}

/** Creates the issue for a list that is present but empty, and therefore allows nothing. */
export function emptyListIssue(what: string, line: number | undefined): Issue {
  return {
    level: 'warning',
    code: 'field.blank',
    message: `${what} has no value, so it is an empty list and allows nothing.`,
    ...optional('line', line),
    hint: 'List what is allowed. To allow nothing, write [], or a single hyphen in a section.',
  };
}

/**
 * Splits text at whitespace and commas. Items such as `Bash(git add *)`, `*.{ts,js}` and quoted text are not
 * split.
 */
export function splitList(text: string): readonly string[] {
  const list = withoutBrackets(text.trim());
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  let quote = '';
  for (const [index, character] of list.split('').entries()) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (depth === 0 && part === '' && /["']/.test(character) && list.includes(character, index + 1))
      quote = character;
    else if (character === '(' || character === '{') depth++;
    else if (character === ')' || character === '}') depth = Math.max(0, depth - 1);
    if (quote === '' && depth === 0 && /[\s,]/.test(character)) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part].map((item) => item.replace(/^(["'])(.*)\1$/s, '$2')).filter(Boolean);
}

function withoutBrackets(text: string): string {
  const inside = text.slice(1, -1);
  return text.startsWith('[') && text.endsWith(']') && !/[[\]]/.test(inside) ? inside : text;
}
