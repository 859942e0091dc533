import type { Bundle } from '../../core/descriptor/bundle.ts';
import type { Fields } from '../../core/descriptor/fields.ts';
import type { Issue } from '../../core/issue.ts';
import { optional } from '../../core/collections.ts';

const rule = /^[A-Za-z][\w.*-]*(?:\((?:[^()]|\([^()]*\))*\))?$/;
const ownFolder = /\$\{(?:SKILLED|CLAUDE|AGENTICK)_SKILL_DIR\}/g;
const plainFolder = /^[\w@%+=:,./-]+$/; // nothing that means something else in a rule

/**
 * The tool rules of a field; an entry that does not parse is an error and has no effect, nor has an unreadable list.
 * A variable for the folder of the skill is that folder.
 */
export function toolRules(
  key: string,
  fields: Fields,
  { head, dir, loose }: Bundle,
  issues: Issue[],
): readonly string[] | undefined {
  if (!fields.has(key)) return undefined;
  const entries = fields.list(key) ?? [];
  const rules = entries.filter((entry) => {
    if (rule.test(entry)) return true;
    issues.push({
      level: 'error',
      code: 'field.tool-rule',
      message: `"${entry}" in "${key}" is not a tool rule and has no effect.`,
      ...optional('line', head.lineOf(key)),
      hint: 'Write Tool or Tool(pattern), such as Read or Bash(git add *).',
    });
    return false;
  });
  return loose || !plainFolder.test(dir) ? rules : rules.map((entry) => entry.replace(ownFolder, () => dir));
}
