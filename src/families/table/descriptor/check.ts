import type { Issue } from '../../../core/index.ts';
import { buildFinder } from '../build-finder.ts';
import { readDerived } from '../rules/read-derived.ts';
import type { TableField } from './definition.ts';
import { finding } from './finding.ts';

/** What is doubtful about fields that can be read. */
export function checkFields(fields: readonly TableField[], line: number): readonly Issue[] {
  const issues = [...fields.flatMap(checkField), ...checkDerived(fields)];
  if (fields.some((field) => field.primaryKey !== undefined)) return issues;
  const hint = 'Add "#### Primary Key" below the field that identifies a record.';
  return [finding('table.no-key', 'No field is the primary key.', line, hint), ...issues];
}

function checkField({ name, line, description, presenter, resolver }: TableField): readonly Issue[] {
  const issues: Issue[] = [];
  if (description === '') {
    const hint = 'Say below its heading what it holds.';
    issues.push(finding('table.field-undescribed', `The field "${name}" has no description.`, line, hint));
  }
  if ((presenter === undefined) !== (resolver === undefined)) {
    const message =
      resolver === undefined
        ? `The field "${name}" is shown in a form that nothing reads back.`
        : `The field "${name}" reads a form in which nothing shows it.`;
    const hint = `Add a ${resolver === undefined ? 'Resolver' : 'Presenter'}.`;
    issues.push(finding('table.one-way', message, line, hint, 'info'));
  }
  return issues;
}

/** Values that follow from themselves. */
function checkDerived(fields: readonly TableField[]): readonly Issue[] {
  if (!fields.some(({ derivator }) => derivator !== undefined)) return [];
  const find = buildFinder(fields);
  return readDerived(fields, find).circular.map((name) => {
    const message = `The value of "${name}" follows from itself, so it is not derived.`;
    const line = find(name)?.derivator?.line ?? 1;
    return finding('table.derived-circle', message, line, 'Let it follow from fields that are given.');
  });
}
