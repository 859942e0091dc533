import { normaliseKey } from '../../../core/names.ts';
import type { Field, Table } from '../table.ts';

/** What words can name in a table. */
export interface Names {
  readonly fields: readonly Field[];
  /** The fields that go by a name, in any spelling; several where it is the label or alias of several. */
  fieldsBy(name: string): readonly Field[];
  /** The fields that list a value, with its declared spelling. */
  valuesBy(value: string): readonly { readonly field: Field; readonly value: string }[];
  /** Whether it is the name of the table, in singular or plural. */
  isTable(name: string): boolean;
  /** How many words the longest name or value has. */
  readonly mostWords: number;
}

type NamedTable = Pick<Table, 'fields'> & { readonly name?: string; readonly sqlName?: string };

const built = new WeakMap<object, Names>();

/** The names of a table; the same ones for the same table. */
export function namesOf(table: NamedTable): Names {
  const known = built.get(table) ?? buildNames(table);
  built.set(table, known);
  return known;
}

function buildNames({ fields, name = '', sqlName = '' }: NamedTable): Names {
  const tables = new Set(
    [name, sqlName].filter((one) => one !== '').map((one) => singular(normaliseKey(one))),
  );
  const byName = new Map<string, Field[]>();
  for (const [surety, spell] of namings.entries()) {
    const tier = new Map<string, Field[]>();
    for (const field of fields) for (const one of spell(field)) collect(tier, normaliseKey(one), field);
    for (const [key, found] of tier) {
      const isTaken = byName.has(key) || (surety > surest && tables.has(singular(key)));
      if (key !== '' && !isTaken) byName.set(key, found);
    }
  }
  const byValue = new Map<string, { field: Field; value: string }[]>();
  for (const field of fields) {
    for (const value of field.values ?? []) collect(byValue, normaliseKey(value), { field, value });
  }
  const all = [...byName.keys(), ...byValue.keys(), ...tables];
  return {
    fields,
    fieldsBy: (given) => byName.get(normaliseKey(given)) ?? [],
    valuesBy: (given) => byValue.get(normaliseKey(given)) ?? [],
    isTable: (given) => tables.has(singular(normaliseKey(given))),
    mostWords: Math.min(8, Math.max(1, ...all.map((one) => one.split(/[\s-]+/).length))),
  };
}

/** What a field goes by, the surest first. */
const namings: readonly ((field: Field) => readonly string[])[] = [
  ({ name }) => [name],
  ({ label, shortLabel, aliases = [] }) => [label ?? '', shortLabel ?? '', ...aliases],
  ({ name, type }) => [
    name.replace(type === 'date' || type === 'datetime' ? /[_-](?:date|at|on)$/i : /[_-]id$/i, ''),
  ],
  ({ name, label, aliases = [] }) => [name, label ?? '', ...aliases].filter((one) => one !== '').map(plural),
];

/** The namings up to which a name is said by the descriptor; others give way to the name of the table. */
const surest = 1;

function collect<Item>(index: Map<string, Item[]>, key: string, item: Item): void {
  const items = index.get(key) ?? [];
  if (!items.includes(item)) items.push(item);
  index.set(key, items);
}

function plural(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return word.replace(/y$/i, 'ies');
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

function singular(word: string): string {
  if (word.endsWith('ies')) return word.replace(/ies$/, 'y');
  return word.replace(/(s|x|z|ch|sh)es$/, '$1').replace(/([^s])s$/, '$1');
}
