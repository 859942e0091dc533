import type { Field, Table } from '../table.ts';

/** Returns example requests to this table that work without a model. */
export function plainForms(table: Table): readonly string[] {
  const { name, fields, key, listed } = table;
  const filter = fields.find(({ values, key: isKey }) => values !== undefined && isKey === undefined);
  const settable = fields.find(({ derivator, key: isKey }) => derivator === undefined && isKey === undefined);
  const named = listed.find((field) => field.key === undefined && field.derivator === undefined) ?? settable;
  const said = name.toLowerCase();
  const where = filter === undefined ? '' : ` where ${filter.name} is ${quoted(filter.values?.[0] ?? '')}`;
  const id = key.length === 1 ? `<${key[0]?.name ?? 'key'}>` : '<key>';
  return [
    `list ${said}${where}`,
    `count ${said}${filter === undefined ? '' : ` by ${filter.name}`}`,
    `show ${id}`,
    ...(named === undefined ? [] : [`add ${said} ${named.name} ${example(named)}`]),
    ...(settable === undefined ? [] : [`set ${settable.name} to ${example(settable)} for ${id}`]),
    `delete ${id}`,
  ];
}

function example({ values, type }: Field): string {
  if (values !== undefined) return quoted(values[0] ?? '');
  return examples[type] ?? '"…"';
}

const examples: Readonly<Partial<Record<Field['type'], string>>> = {
  integer: '5',
  bigint: '5',
  decimal: '2.5',
  boolean: 'yes',
  date: 'today',
};

function quoted(value: string): string {
  return /^[\w-]+$/.test(value) ? value : JSON.stringify(value);
}
