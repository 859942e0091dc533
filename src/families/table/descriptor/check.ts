import type { Issue } from '../../../core/index.ts';
import { buildFinder } from '../build-finder.ts';
import { readDerived } from '../rules/read-derived.ts';
import type { TableField } from './definition.ts';
import { createIssue } from './create-issue.ts';

/** Reports field declarations that are valid but are probably mistakes. */
export function checkFields(fields: readonly TableField[], line: number): readonly Issue[] {
  const issues = [...fields.flatMap(checkField), ...checkDerived(fields)];
  if (fields.some((field) => field.primaryKey !== undefined)) return issues;
  const hint = 'Add "#### Primary Key" below the field that identifies a record.';
  return [createIssue('table.no-key', 'No field is the primary key.', line, hint), ...issues];
}

function checkField({ name, line, description, presenter, resolver }: TableField): readonly Issue[] {
  const issues: Issue[] = [];
  if (description === '') {
    const hint = 'Below the field heading, describe what the field holds.';
    issues.push(
      createIssue('table.field-undescribed', `The field "${name}" has no description.`, line, hint),
    );
  }
  if ((presenter === undefined) !== (resolver === undefined)) {
    const message =
      resolver === undefined
        ? `The field "${name}" has a Presenter but no Resolver, so the form in which it is shown cannot be read back.`
        : `The field "${name}" has a Resolver but no Presenter, so it accepts a form that it never shows.`;
    const hint = `Add a ${resolver === undefined ? 'Resolver' : 'Presenter'}.`;
    issues.push(createIssue('table.one-way', message, line, hint, 'info'));
  }
  return issues;
}

/** Reports fields whose derived values depend on themselves. */
function checkDerived(fields: readonly TableField[]): readonly Issue[] {
  if (!fields.some(({ derivator }) => derivator !== undefined)) return [];
  const find = buildFinder(fields);
  return readDerived(fields, find).circular.map((name) => {
    const message = `The value of "${name}" depends on itself, so it is not derived.`;
    const line = find(name)?.derivator?.line ?? 1;
    return createIssue('table.derived-circle', message, line, 'Derive the value from other fields.');
  });
}
