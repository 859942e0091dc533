import {
  didYouMean,
  matchesWildcard,
  optional,
  parseRule,
  type ForeignTool,
  type Issue,
  type Skill,
  type SkillCard,
} from '../../core/index.ts';
import { cardOf } from '../catalog/entries.ts';
import type { Lookup } from './lookup.ts';
import type { SkillRecord } from './record.ts';
import { openToolEntry } from './tool-entries.ts';

/**
 * Reports names in lists of allowed skills that match no skill. Such a list allows fewer skills than it
 * appears to.
 */
export function unknownNames(skills: readonly SkillRecord[], lookup: Lookup): readonly Issue[] {
  return skills.flatMap((skill) => {
    const { allowedSkills = [], allowedSkillLines = [] } = skill.status === 'ready' ? cardOf(skill) : {};
    return allowedSkills.flatMap((name, index): readonly Issue[] =>
      lookup.find(name) !== undefined
        ? []
        : [
            {
              level: 'warning',
              code: 'list.unknown-skill',
              message: `"${skill.name}" may call "${name}", but there is no such skill.`,
              ...(skill.file === ''
                ? {}
                : { file: skill.file, ...optional('line', allowedSkillLines[index]) }),
              hint: hintFor(lookup.near(name)),
            },
          ],
    );
  });
}

/**
 * Reports entries of tool lists that match no tool and no skill, and therefore allow nothing. Each entry is
 * reported once per list.
 */
export function unknownTools(skills: readonly SkillRecord[], lookup: Lookup): readonly Issue[] {
  const check = createToolCheck(skills, lookup);
  return skills
    .filter(({ status }) => status !== 'invalid')
    .flatMap((skill) => check({ name: skill.name, file: skill.file, card: cardOf(skill) }));
}

/** A skill whose tool list is checked, whether or not it is registered. */
export type ToolLister = Pick<Skill, 'name' | 'file' | 'card'>;

/**
 * Returns a function that checks a skill's tool list against the registered tools and skills. `isSkill`
 * recognises additional skills.
 */
export function createToolCheck(
  skills: readonly SkillRecord[],
  lookup: Lookup,
  isSkill: (name: string) => boolean = () => false,
): (skill: ToolLister) => readonly Issue[] {
  const labels = [...new Set(skills.map((skill) => cardOf(skill).label?.toLowerCase()))].filter(
    (label) => label !== undefined,
  );
  const isLabel = (text: string): boolean => {
    const pattern = (parseRule(text)?.tool ?? '').toLowerCase();
    return labels.some((label) => matchesWildcard(pattern, label));
  };
  return (skill) =>
    listedTools(skill.card).flatMap(({ rule, line, verb }): readonly Issue[] => {
      const { isKnown, foreign } = openToolEntry(lookup, rule);
      if (isKnown || isLabel(rule) || isSkill(parseRule(rule)?.tool ?? '')) return [];
      const near = didYouMean(rule.toLowerCase(), labels) ?? hintFor(lookup.near(rule), 'tools');
      const found = foreign === undefined ? unknownTool(near) : unavailableTool(foreign);
      const message = `"${skill.name}" ${verb} "${rule}"${found.message}`;
      return [{ ...found, message, file: skill.file, line }];
    });
}

type ToolFault = Pick<Issue, 'level' | 'code' | 'message' | 'hint' | 'standard'>;

function unknownTool(hint: string): ToolFault {
  return {
    level: 'warning',
    code: 'list.unknown-tool',
    message: ', but there is no such tool or skill.',
    hint,
    standard: true,
  };
}

/** Describes a tool of another program for which there is no replacement here. */
function unavailableTool({ programs, missing = '', hint = '' }: ForeignTool): ToolFault {
  const message = `, a tool of ${programs.join(' and ')}. Not available here: ${missing}.`;
  return { level: 'warning', code: 'list.unavailable-tool', message, hint };
}

interface ListedTool {
  readonly rule: string;
  readonly line: number;
  readonly verb: string;
}

/**
 * Returns the entries to check in a skill's tool list. A list that applies to the entire call tree takes
 * precedence.
 */
function listedTools({ toolBound, allowedTools = [], allowedToolsLine }: SkillCard): readonly ListedTool[] {
  if (toolBound !== undefined) {
    const { rules, lines, line } = toolBound;
    return rules.map((rule, index) => ({ rule, line: lines[index] ?? line, verb: 'allows' }));
  }
  if (allowedToolsLine === undefined) return [];
  return [...new Set(allowedTools)].map((rule) => ({ rule, line: allowedToolsLine, verb: 'lists' }));
}

function hintFor([near]: readonly string[], list: 'skills' | 'tools' = 'skills'): string {
  return near === undefined
    ? `Correct the name in its list of allowed ${list}, or add the skill.`
    : `Did you mean "${near}"?`;
}
