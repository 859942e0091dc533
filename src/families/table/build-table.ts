import { normaliseKey, optional } from '../../core/index.ts';
import { sqlName } from '../../engines/sql/names.ts';
import type { KeyStrategy, Relationship, TableDefinition, TableField } from './descriptor/definition.ts';
import { readRule } from './read-rule.ts';
import { readDerived } from './rules/plan-changes.ts';
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

type Mutable = { -readonly [Key in keyof Field]: Field[Key] };

/**
 * Builds a table's fields, which always include a key. Parses the rules that can be evaluated without
 * generated code. Pure.
 */
function buildFields({ fields: declared, relationships }: TableDefinition): readonly Field[] {
  const keys = declared.filter(({ primaryKey }) => primaryKey !== undefined);
  const typed = declared.map((field) => withKey(field, keys.length === 1));
  const fields: Mutable[] = keys.length > 0 ? typed : [ownKey(declared), ...typed];
  const find = buildFinder(fields);

  const { derived } = readDerived(fields, find);
  for (const field of fields) {
    const { requiredWhen } = field;
    const expression = derived.get(field.name);
    if (expression !== undefined) field.derived = expression;
    const requiredIf = requiredWhen && readRule({ fields, find }, requiredWhen.text);
    if (requiredIf !== undefined) field.requiredIf = requiredIf;
  }
  for (const relationship of relationships) {
    const field = relationship.field === undefined ? undefined : find(relationship.field);
    const references = field?.references ?? referenceOf(relationship);
    if (field !== undefined && references !== undefined) field.references = references;
  }
  return fields;
}

/**
 * Applies a field's key strategy. Only keys that consist of a single field are numbered automatically. A key
 * without a declared type gets the type of its strategy.
 */
function withKey({ primaryKey, ...field }: TableField, isAlone: boolean): Mutable {
  if (primaryKey === undefined) return field;
  const kind: KeyStrategy['kind'] =
    primaryKey.kind === 'auto-increment' && !isAlone ? 'given' : primaryKey.kind;
  const isBare = field.declaredType === undefined;
  if (kind === 'auto-increment') {
    const start = 'start' in primaryKey ? primaryKey.start : undefined;
    return {
      ...field,
      type: field.type === 'bigint' ? 'bigint' : 'integer',
      key: kind,
      ...optional('keyStart', start),
    };
  }
  return { ...field, type: kind === 'uuid' && isBare ? 'uuid' : field.type, key: kind };
}

/** Builds the key for a table that declares none. The key is called `id` unless that name is taken. */
function ownKey(fields: readonly TableField[]): Mutable {
  const find = buildFinder(fields);
  const names = ['id', 'record id', ...fields.map((_, index) => `record id ${index + 2}`)];
  const name = names.find((candidate) => find(candidate) === undefined) ?? 'id';
  return {
    name: name.replaceAll(' ', '_'),
    line: 1,
    description: 'Numbers the records.',
    type: 'integer',
    key: 'auto-increment',
  };
}

/**
 * Returns the reference that a relationship declares. For example, `Foreign: area_id` below `many-to-one with
 * areas` refers to the key of `areas`.
 */
function referenceOf({ references, referencedBy, kind, with: other }: Relationship): Field['references'] {
  if (references !== undefined || referencedBy !== undefined) return references;
  const isOne = kind === 'many-to-one' || kind === 'one-to-one';
  return isOne && other !== undefined ? { table: other } : undefined;
}

/**
 * Builds a function that finds fields by name in any spelling. Names take precedence over labels, and labels
 * over aliases. Otherwise, earlier fields take precedence.
 */
export function buildFinder<Named extends Pick<Field, 'name' | 'label' | 'shortLabel' | 'aliases'>>(
  fields: readonly Named[],
): (name: string) => Named | undefined {
  const index = new Map<string, Named>();
  const namings: readonly ((field: Named) => readonly (string | undefined)[])[] = [
    ({ name }) => [name],
    ({ label, shortLabel }) => [label, shortLabel],
    ({ aliases }) => aliases ?? [],
  ];
  for (const namesOf of namings) {
    for (const field of fields) {
      for (const name of namesOf(field)) {
        if (name !== undefined && !index.has(normaliseKey(name))) index.set(normaliseKey(name), field);
      }
    }
  }
  return (name) => index.get(normaliseKey(name));
}
