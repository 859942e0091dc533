import type { Fields } from '../../core/descriptor/fields.ts';
import type { Frontmatter } from '../../core/descriptor/frontmatter.ts';
import type { Issue } from '../../core/issue.ts';
import { optional } from '../../core/collections.ts';
import type { SkillCard } from '../../core/skill.ts';

/** Whether a skill works apart from the conversation that calls it, and whether that one waits. */
export function readForks(fields: Fields, head: Frontmatter, issues: Issue[]): SkillCard['forks'] {
  const context = fields.word('context', ['fork', 'inline']);
  const inBackground = fields.flag('background') === true;
  if (context === 'fork') return inBackground ? 'background' : 'awaited';
  if (inBackground) {
    issues.push({
      level: 'warning',
      code: 'field.unused',
      message: '"background" has no effect without "context: fork".',
      ...optional('line', head.lineOf('background')),
      hint: 'Add "context: fork", or remove it.',
    });
  }
  return undefined;
}
