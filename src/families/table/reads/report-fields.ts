import { optional, type Output } from '../../../core/index.ts';
import { cutText } from '../show/text.ts';
import { labelOf } from '../show/text.ts';
import { showGrid } from '../show/rows.ts';
import type { Field, Table } from '../table.ts';
import { plainForms } from './plain-forms.ts';

/** Describes a table's fields and lists examples of requests. */
export function reportFields(table: Table): Output {
  const columns = ['Field', 'Type', 'Needed', 'About'].map((label) => ({ label, align: 'left' as const }));
  const rows = table.fields.map((field) => [labelOf(field), field.type, neededText(field), aboutText(field)]);
  const text = [
    `${table.name}: ${cutText(table.purpose, 500)}`,
    showGrid(columns, rows),
    'You can say:',
    ...plainForms(table).map((form) => `- ${form}`),
    ...(table.help === undefined ? [] : [cutText(table.help, 500)]),
  ];
  const fields = table.fields.map((field) => ({
    name: field.name,
    ...optional('label', field.label),
    type: field.type,
    description: field.description,
    ...(field.key === undefined ? {} : { key: true }),
    ...(field.required === true ? { required: true } : {}),
    ...optional('values', field.values),
  }));
  return { status: 'done', text: text.join('\n'), value: { operation: 'fields', table: table.name, fields } };
}

function neededText({ key, required, requiredWhen, derivator }: Field): string {
  if (key !== undefined) return key === 'given' ? 'key' : 'made';
  if (derivator !== undefined) return 'derived';
  if (required !== true) return '';
  return requiredWhen === undefined ? 'yes' : 'sometimes';
}

function aboutText({ description, values }: Field): string {
  return values === undefined
    ? description
    : `${values.join(', ')}${description === '' ? '' : `: ${description}`}`;
}
