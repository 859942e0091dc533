import { normaliseKey } from '../../../core/index.ts';
import type { Field, Table } from '../table.ts';

/** What words can name in a table. */
export interface Names {
  readonly fields: readonly Field[];
  /** The fields that go by a name, in any spelling; several where it is the label or alias of several. */
  fieldsBy(name: string): readonly Field[];
  /** The fields that list a value, with its declared spelling. */
  valuesBy(value: string): readonly ListedValue[];
  /** Whether only the plural of a field goes by a name, so that it speaks of many values and not of one. */
  isPlural(name: string): boolean;
  /** Whether it is the name of the table or its last word, in singular or plural. */
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
  const heads = new Set([...tables].map((one) => one.replace(/^.*-/, '')));
  const byName = new Map<string, Field[]>();
  const plurals = new Set<string>();
  for (const [surety, spell] of namings.entries()) {
    const tier = new Map<string, Field[]>();
    for (const field of fields) for (const one of spell(field)) collect(tier, normaliseKey(one), field);
    for (const [key, found] of tier) {
      const isOfTable = surety > surest && tables.has(singular(key));
      const isOfHead = surety === pluralsOnly && heads.has(singular(key));
      if (key === '' || byName.has(key) || isOfTable || isOfHead) continue;
      byName.set(key, found);
      if (surety === pluralsOnly) plurals.add(key);
    }
  }
  const byValue = valuesOf(fields, (key) => byName.has(key) || heads.has(singular(key)));
  const all = [...byName.keys(), ...byValue.keys(), ...tables];
  return {
    fields,
    fieldsBy: (given) => byName.get(normaliseKey(given)) ?? [],
    valuesBy: (given) => byValue.get(normaliseKey(given)) ?? [],
    isPlural: (given) => plurals.has(normaliseKey(given)),
    isTable(given) {
      const key = normaliseKey(given);
      if (tables.has(singular(key))) return true;
      return heads.has(singular(key)) && !byName.has(key) && !byValue.has(key);
    },
    mostWords: Math.min(8, Math.max(1, ...all.map((one) => one.split(/[\s-]+/).length))),
  };
}

interface ListedValue {
  readonly field: Field;
  readonly value: string;
}

/** The listed values by their spelling, and by their plural where that means nothing else. */
function valuesOf(
  fields: readonly Field[],
  isTaken: (key: string) => boolean,
): ReadonlyMap<string, readonly ListedValue[]> {
  const [exact, many] = [new Map<string, ListedValue[]>(), new Map<string, ListedValue[]>()];
  for (const field of fields) {
    for (const value of field.values ?? []) {
      collect(exact, normaliseKey(value), { field, value });
      if (/^[a-z]+$/i.test(value)) collect(many, normaliseKey(plural(value)), { field, value });
    }
  }
  for (const [key, found] of many) if (!exact.has(key) && !isTaken(key)) exact.set(key, found);
  return exact;
}

/** What a field goes by, the surest first. */
const namings: readonly ((field: Field) => readonly string[])[] = [
  ({ name }) => [name],
  ({ label, shortLabel, aliases = [] }) => [label ?? '', shortLabel ?? '', ...aliases],
  ({ name, type }) => {
    if (type !== 'date' && type !== 'datetime') return [name.replace(/[_-]id$/i, '')];
    const bare = name.replace(/[_-](?:date|at|on)$/i, '');
    return [bare, `${bare} date`];
  },
  ({ name, label, aliases = [] }) => [name, label ?? '', ...aliases].filter((one) => one !== '').map(plural),
];

/** The namings up to which a name is said by the descriptor; others give way to the name of the table. */
const surest = 1;
const pluralsOnly = namings.length - 1;

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
