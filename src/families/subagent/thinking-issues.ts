import type { Frontmatter } from '../../core/descriptor/frontmatter.ts';
import { isKnownEffort } from '../../core/model/sources.ts';
import type { Issue } from '../../core/issue.ts';
import { optional } from '../../core/collections.ts';
import type { SubagentSettings } from './definition.ts';
import { effortFor } from './effort-for.ts';

/** A finding for a `thinking` that no model is known to take; it is passed on all the same. */
export function thinkingIssues({ thinking }: SubagentSettings, head: Frontmatter): readonly Issue[] {
  if (thinking === undefined || isKnownEffort(effortFor(thinking))) return [];
  return [
    {
      level: 'warning',
      code: 'effort.unknown',
      message: `"thinking: ${thinking}" is none that models are known to take.`,
      ...optional('line', head.lineOf('thinking')),
      hint: 'Write off, minimal, low, medium, high or xhigh.',
    },
  ];
}
