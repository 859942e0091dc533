import type { Fields } from '../../core/descriptor/fields.ts';
import type { Frontmatter } from '../../core/descriptor/frontmatter.ts';
import { isKnownEffort } from '../../core/model/sources.ts';
import type { Issue } from '../../core/issue.ts';
import { optional } from '../../core/collections.ts';

/** How hard the model is to think; a word that providers do not know is passed on, with a finding. */
export function readEffort(fields: Fields, head: Frontmatter, issues: Issue[]): string | undefined {
  const effort = fields.text('effort')?.trim().toLowerCase();
  if (effort === undefined || effort === '') return undefined;
  if (!isKnownEffort(effort)) {
    issues.push({
      level: 'warning',
      code: 'effort.unknown',
      message: `The effort "${effort}" is none that models are known to take.`,
      ...optional('line', head.lineOf('effort')),
      hint: 'Write low, medium, high, xhigh or max.',
    });
  }
  return effort;
}
