import type { Issue } from '../../../core/issue.ts';
import { didYouMean, normaliseKey } from '../../../core/names.ts';
import type { Section } from '../../../core/sections.ts';
import type { TableField } from './definition.ts';
import { finding } from './finding.ts';
import { plainLines } from './prose-items.ts';
import { listIn } from './values.ts';

const mostHints = 10; // a guess costs a look at every field

/** The declared names of the fields that a section lists; one that is not declared is reported and left out. */
export function readFieldList(
  section: Section | undefined,
  fields: FieldIndex,
  issues: Issue[],
): readonly string[] | undefined {
  if (section === undefined) return undefined;
  const names = new Set<string>();
  let unknown = 0;
  for (const { text, line } of plainLines(section)) {
    for (const word of listIn(text)) {
      const field =
        fields.get(normaliseKey(word)) ?? fields.get(normaliseKey(word.replace(/(?::| [-–—] ).*$/s, '')));
      if (field !== undefined) names.add(field.name);
      else issues.push(undefinedField(word, line, unknown++ < mostHints ? fields : undefined));
    }
  }
  return [...names];
}

/** Fields by name and alias, in the form in which names are compared. */
export type FieldIndex = ReadonlyMap<string, TableField>;

/** Makes the index of a table; a name goes before an alias, an earlier field before a later one. */
export function indexFields(fields: readonly TableField[]): FieldIndex {
  const index = new Map<string, TableField>(fields.map((field) => [normaliseKey(field.name), field]));
  for (const field of fields) {
    for (const alias of field.aliases ?? []) {
      if (!index.has(normaliseKey(alias))) index.set(normaliseKey(alias), field);
    }
  }
  return index;
}

function undefinedField(word: string, line: number, fields: FieldIndex | undefined): Issue {
  const hint = fields && didYouMean(normaliseKey(word), fields.keys());
  return finding('table.field-undefined', `"${word}" is not a field of this table.`, line, hint);
}
