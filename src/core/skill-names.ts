import type { Issue } from './issue.ts';
import { normaliseName } from './names.ts';

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
