import { optional } from '../../core/index.ts';
import { buildFinder } from './build-finder.ts';
import type { KeyStrategy, Relationship, TableDefinition, TableField } from './descriptor/definition.ts';
import { readRule } from './read-rule.ts';
import { readDerived } from './rules/read-derived.ts';
import type { Field } from './table.ts';

type Mutable = { -readonly [Key in keyof Field]: Field[Key] };

/**
 * Builds a table's fields, which always include a key. Parses the rules that can be evaluated without
 * generated code. Pure.
 */
export function buildFields({ fields: declared, relationships }: TableDefinition): readonly Field[] {
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
