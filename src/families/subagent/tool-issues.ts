import type { Frontmatter } from '../../core/descriptor/frontmatter.ts';
import type { Issue } from '../../core/issue.ts';
import { didYouMean } from '../../core/names.ts';
import { optional } from '../../core/collections.ts';
import { parseRule } from '../../core/policy/rules.ts';
import { lacksReader } from './card.ts';
import type { SubagentSettings } from './definition.ts';
import { isBareName, isKnownEntry, nameReader, toolWords } from './tool-rules.ts';

/** Findings about the tools of a subagent: names that mean no tool, and listed skills that nothing can read. */
export function toolIssues(settings: SubagentSettings, head: Frontmatter): readonly Issue[] {
  const unknown = (['tools', 'excludeTools'] as const).flatMap((key) =>
    (settings[key] ?? [])
      .filter((entry) => !isKnownEntry(entry))
      .map((entry) => unknownTool(entry, key, head)),
  );
  return lacksReader(settings) ? [...unknown, noReader(settings, head)] : unknown;
}

/** It may be a tool of the host or a skill, which only shows when it is called. */
function unknownTool(entry: string, key: string, head: Frontmatter): Issue {
  const isName = isBareName(entry);
  const meaning =
    isName || parseRule(entry) !== undefined ? 'is not a known tool' : 'is no tool and means nothing';
  return {
    level: 'warning',
    code: 'subagent.tool',
    message: `"${entry}" in "${key}" ${meaning}.`,
    ...optional('line', head.lineOf(key)),
    hint:
      didYouMean(entry, toolWords) ??
      (isName ? `Write Skill(${entry}) if a skill is meant.` : 'Write Tool, Tool(pattern) or Skill(name).'),
  };
}

function noReader({ tools }: SubagentSettings, head: Frontmatter): Issue {
  const isExcluded = tools === undefined || nameReader(tools);
  return {
    level: 'warning',
    code: 'subagent.reader',
    message:
      'Its skills are only listed, and it has no tool to read them with; it cannot be called like this.',
    ...optional('line', head.lineOf(isExcluded ? 'excludeTools' : 'tools')),
    hint: 'Add read to its tools, or write "skillInjection: full".',
  };
}
