import { buildTable } from '../build-table.ts';
import type { Prose, TableDefinition } from '../descriptor/definition.ts';
import type { ProseKind } from '../rules/prose-rules.ts';
import { readExpression } from '../rules/expressions/read-expression.ts';
import type { Field, Table } from '../table.ts';

/** A prose rule in a descriptor, which generated code can implement. */
export interface ProseItem {
  readonly kind: ProseKind;
  /** The field's name, or the rule's one-based number among the prose rules. */
  readonly name: string;
  /** The name of the function that implements the rule. */
  readonly call: string;
  readonly prose: Prose;
  /** The field that the rule belongs to. Absent if the rule applies to the whole record. */
  readonly field?: Field;
}

/**
 * Returns a table's prose rules: those of its fields, in order, then its business rules. Excludes rules that
 * can be evaluated without generated code. Pure.
 */
export function proseItems(definition: TableDefinition): readonly ProseItem[] {
  const known = listed.get(definition);
  if (known !== undefined) return known;
  const table = buildTable(definition);
  const items = [
    ...table.fields.flatMap((field) => itemsOf(definition, table, field)),
    ...rulesOf(definition, table),
  ];
  const named = withCalls(items);
  listed.set(definition, named);
  return named;
}

const listed = new WeakMap<TableDefinition, readonly ProseItem[]>();

type Unnamed = Omit<ProseItem, 'call'>;

function itemsOf({ fields }: TableDefinition, table: Table, field: Field): readonly Unnamed[] {
  const { name, validator, presenter, resolver, enumerator, requiredWhen, requiredIf } = field;
  const declared = fields.find((one) => one.name === name)?.primaryKey;
  const found: readonly (readonly [ProseKind, Prose | undefined])[] = [
    ['resolve', resolver],
    ['derive', derivationOf(table, field)],
    ['key', declared?.kind === 'prose' ? declared.prose : undefined],
    ['enumerate', enumerator],
    ['require', requiredIf === undefined ? requiredWhen : undefined],
    ['validate', validator],
    ['present', presenter],
  ];
  return found.flatMap(([kind, prose]) => (prose === undefined ? [] : [{ kind, name, prose, field }]));
}

/**
 * Returns a field's derivation if it is prose. Circular expressions are excluded, because generated code
 * could not compute them either.
 */
function derivationOf({ find }: Table, { name, derived, derivator }: Field): Prose | undefined {
  if (derivator === undefined || derived !== undefined) return undefined;
  return readExpression(derivator.text, find, name) === undefined ? derivator : undefined;
}

function rulesOf({ businessRules }: TableDefinition, { recordRules }: Table): readonly Unnamed[] {
  const native = new Set(recordRules.map(({ line, text }) => `${line}:${text}`));
  return businessRules
    .filter(({ line, text }) => !native.has(`${line}:${text}`))
    .map((prose, index) => ({ kind: 'rule', name: String(index + 1), prose }));
}

/** Gives each item a unique function name that is a valid identifier. */
function withCalls(items: readonly Unnamed[]): readonly ProseItem[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const plain = `${item.kind}_${item.name.normalize('NFC').replace(/[^\p{ID_Continue}]/gu, '_')}`;
    let call = plain;
    for (let number = 2; taken.has(call); number++) call = `${plain}_${number}`;
    taken.add(call);
    return { ...item, call };
  });
}
