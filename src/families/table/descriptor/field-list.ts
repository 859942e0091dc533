import { didYouMean, type Issue, type Section } from '../../../core/index.ts';
import { buildFinder } from '../build-finder.ts';
import type { TableField } from './definition.ts';
import { finding } from './finding.ts';
import { plainLines } from './plain-lines.ts';
import { listIn } from './values.ts';

const mostHints = 10; // a guess costs a look at every field

/** The declared names of the fields that a section lists; one that is not declared is reported and left out. */
export function readFieldList(
  section: Section | undefined,
  fields: readonly TableField[],
  issues: Issue[],
): readonly string[] | undefined {
  if (section === undefined) return undefined;
  const find = buildFinder(fields);
  const names = new Set<string>();
  let unknown = 0;
  for (const { text, line } of plainLines(section)) {
    for (const word of listIn(text)) {
      const field = find(word) ?? find(word.replace(/(?::| [-–—] ).*$/s, ''));
      if (field !== undefined) names.add(field.name);
      else issues.push(undefinedField(word, line, unknown++ < mostHints ? fields : undefined));
    }
  }
  return [...names];
}

function undefinedField(word: string, line: number, fields: readonly TableField[] | undefined): Issue {
  const hint =
    fields &&
    didYouMean(
      word,
      fields.map(({ name }) => name),
    );
  return finding('table.field-undefined', `"${word}" is not a field of this table.`, line, hint);
}
