import type { Issue } from '../../core/issue.ts';
import { didYouMean, normaliseKey } from '../../core/names.ts';
import type { Section } from '../../core/sections.ts';
import type { TableField } from './definition.ts';
import { finding } from './finding.ts';
import { plainLines } from './prose-items.ts';
import { listIn } from './values.ts';

/** The declared names of the fields that a section lists; one that is not declared is reported and left out. */
export function readFieldList(
  section: Section | undefined,
  fields: readonly TableField[],
  issues: Issue[],
): readonly string[] | undefined {
  if (section === undefined) return undefined;
  const names = new Set<string>();
  for (const { text, line } of plainLines(section)) {
    for (const word of listIn(text)) {
      const field = fieldNamed(fields, word) ?? fieldNamed(fields, word.replace(/\s*(?::|\s[-–—]\s).*$/s, ''));
      if (field !== undefined) names.add(field.name);
      else issues.push(undefinedField(word, fields, line));
    }
  }
  return [...names];
}

/** The field of this name or alias. */
export function fieldNamed(fields: readonly TableField[], name: string): TableField | undefined {
  const key = normaliseKey(name);
  const isAlias = (alias: string): boolean => normaliseKey(alias) === key;
  return fields.find((field) => isAlias(field.name)) ?? fields.find((field) => field.aliases?.some(isAlias) === true);
}

function undefinedField(word: string, fields: readonly TableField[], line: number): Issue {
  const hint = didYouMean(normaliseKey(word), fields.map((field) => field.name));
  return finding('table.field-undefined', `"${word}" is not a field of this table.`, line, hint);
}
