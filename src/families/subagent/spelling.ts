import type { Frontmatter } from '../../core/descriptor/frontmatter.ts';
import type { Issue } from '../../core/issue.ts';
import type { Json } from '../../core/json.ts';
import { normaliseKey } from '../../core/names.ts';

/** Every field that subagent files give a meaning of their own. */
export const subagentFields = [
  ...['name', 'description', 'tools', 'excludeTools', 'skill', 'skills', 'skillPath', 'skillInjection'],
  ...['systemPromptMode', 'inheritProjectContext', 'inheritSkills', 'model', 'thinking', 'maxSubagentDepth'],
  ...['timeoutMs', 'defaultContext', 'output'],
];
const spellings: ReadonlyMap<string, string> = new Map([
  ...subagentFields.map((name): [string, string] => [squeeze(name), name]),
  ['disallowedtools', 'excludeTools'],
]);

/** The name of a key as this project writes it: `skill-injection` and `SkillInjection` are `skillInjection`. */
export function canonicalKey(written: string): string {
  return spellings.get(squeeze(written)) ?? normaliseKey(written);
}

/** Whether subagent files give the key a meaning of its own. */
export function isSubagentKey(written: string): boolean {
  return spellings.has(squeeze(written));
}

/** The same head with its fields under canonical names; of two spellings the first that has a value counts. */
export function withCanonicalKeys(head: Frontmatter, issues: Issue[]): Frontmatter {
  const fields = new Map<string, Json>();
  const written = new Map<string, string>();
  for (const key of head.keys) {
    const canonical = canonicalKey(key);
    const value = head.fields.get(normaliseKey(key));
    const earlier = written.get(canonical);
    if (earlier === undefined || !fields.has(canonical)) written.set(canonical, key);
    else if (normaliseKey(earlier) !== normaliseKey(key))
      issues.push(twoSpellings(earlier, key, head.lineOf(key)));
    if (value !== undefined && !fields.has(canonical)) fields.set(canonical, value);
  }
  return { ...head, fields, lineOf: (key) => head.lineOf(written.get(key) ?? key) };
}

function twoSpellings(earlier: string, key: string, line: number | undefined): Issue {
  return {
    level: 'warning',
    code: 'frontmatter.repeated',
    message: `"${key}" says the same as "${earlier}"; the first counts.`,
    ...(line === undefined ? {} : { line }),
  };
}

/** A key or name without case, blanks, hyphens and underscores. */
export function squeeze(key: string): string {
  return normaliseKey(key).replaceAll('-', '');
}
