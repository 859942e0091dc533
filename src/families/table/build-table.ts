import { optional } from '../../core/index.ts';
import { buildFields } from './build-fields.ts';
import { buildFinder } from './build-finder.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { readRule } from './read-rule.ts';
import { sqlName } from './schema/sql-name.ts';
import type { Field, RecordRule, Table } from './table.ts';

const known = new WeakMap<TableDefinition, Table>();

/** Builds the table that a descriptor declares. Returns the same object for the same definition. Pure. */
export function buildTable(definition: TableDefinition): Table {
  const built = known.get(definition) ?? build(definition);
  known.set(definition, built);
  return built;
}

function build(definition: TableDefinition): Table {
  const fields = buildFields(definition);
  const key = fields.filter((field) => field.key !== undefined);
  const find = buildFinder(fields);
  const interactive = interactiveOf(definition, fields);
  return {
    name: definition.table,
    sqlName: sqlName(definition.table),
    ...optional('databaseTable', definition.databaseTable),
    purpose: definition.purpose,
    ...optional('instructions', definition.instructions),
    ...optional('help', definition.help),
    fields,
    key,
    relationships: definition.relationships,
    recordRules: recordRulesOf(definition, { fields, find }),
    ...optional('roles', definition.roles),
    ...optional('deleteGuard', definition.deleteGuard),
    interactive,
    listed: listedOf(definition, fields, interactive),
    find,
  };
}

function recordRulesOf(
  { businessRules }: TableDefinition,
  table: Pick<Table, 'fields' | 'find'>,
): readonly RecordRule[] {
  return businessRules.flatMap(({ text, line }) => {
    const holds = readRule(table, text);
    return holds === undefined ? [] : [{ text, line, holds }];
  });
}

function interactiveOf({ interactiveFields }: TableDefinition, fields: readonly Field[]): readonly Field[] {
  if (interactiveFields !== undefined) return fields.filter(({ name }) => interactiveFields.includes(name));
  return fields.filter(
    ({ key, required, derivator }) =>
      derivator === undefined && (key === 'given' || (required === true && key === undefined)),
  );
}

const maxListed = 8;

function listedOf(
  { interactiveFields, listExtraFields }: TableDefinition,
  fields: readonly Field[],
  interactive: readonly Field[],
): readonly Field[] {
  const key = fields.filter((field) => field.key !== undefined);
  const others = fields.filter((field) => field.key === undefined);
  if (interactiveFields === undefined && listExtraFields === undefined) {
    const short = others.filter(({ type }) => type !== 'json' && type !== 'text');
    return [...key, ...short].slice(0, Math.max(maxListed, key.length));
  }
  const extra = listExtraFields ?? [];
  return [...key, ...others.filter((field) => interactive.includes(field) || extra.includes(field.name))];
}
