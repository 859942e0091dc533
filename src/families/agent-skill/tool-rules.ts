import type { Fields } from '../../core/fields.ts';
import type { Frontmatter } from '../../core/frontmatter.ts';
import type { Issue } from '../../core/issue.ts';

const rule = /^[A-Za-z][\w.*-]*(?:\((?:[^()]|\([^()]*\))*\))?$/;

/** The tool rules of a field; an entry that does not parse is an error and has no effect, nor has an unreadable list. */
export function toolRules(
  key: string,
  fields: Fields,
  head: Frontmatter,
  issues: Issue[],
): readonly string[] | undefined {
  if (!fields.has(key)) return undefined;
  const entries = fields.list(key) ?? [];
  return entries.filter((entry) => {
    if (rule.test(entry)) return true;
    const line = head.lineOf(key);
    issues.push({
      level: 'error',
      code: 'field.tool-rule',
      message: `"${entry}" in "${key}" is not a tool rule and has no effect.`,
      ...(line === undefined ? {} : { line }),
      hint: 'Write Tool or Tool(pattern), such as Read or Bash(git add *).',
    });
    return false;
  });
}
