import { didYouMean, normaliseKey } from '../../../core/index.ts';
import { plural, singular, stem } from '../../../engines/phrases/phrases.ts';
import type { Field, Table } from '../table.ts';

/** The names that requests can use for a table, its fields and their values. */
export interface Names {
  readonly fields: readonly Field[];
  /** Returns the fields with a name, in any spelling. Several fields can share a label or alias. */
  fieldsBy(name: string): readonly Field[];
  /** Returns the fields that list a value, with the value in its declared spelling. */
  valuesBy(value: string): readonly ListedValue[];
  /** Returns the values that a word can describe in another form, as "closing" describes "closed". */
  describedBy(word: string): readonly ListedValue[];
  /** Whether a name is only the plural of a field's name, so that several values can follow. */
  isPlural(name: string): boolean;
  /** Whether a name is only derived from a field's name, as "delivered" is from "delivered_on". */
  isDerived(name: string): boolean;
  /** Whether a name says that something happened, as "shipped" does if there is a date "shipped_on". */
  isEvent(name: string): boolean;
  /**
   * Whether a name is the table's name, the last word of that name or a thing that the table's purpose says
   * it holds, in singular or plural.
   */
  isTable(name: string): boolean;
  /** Whether a name is the table's name or the last word of that name. */
  isTitle(name: string): boolean;
  /** Whether a word is the name of a field, a listed value or the table. */
  isKnown(word: string): boolean;
  /** Returns a hint with the names most similar to a word, or undefined if none is similar. */
  similarTo(word: string): string | undefined;
  /** The maximum number of words in a name or listed value. */
  readonly maxWords: number;
}

type NamedTable = Pick<Table, 'fields'> & Partial<Pick<Table, 'name' | 'sqlName' | 'purpose'>>;

const built = new WeakMap<object, Names>();

/** Returns a table's names. The result is cached for each table. */
export function namesOf(table: NamedTable): Names {
  const known = built.get(table) ?? buildNames(table);
  built.set(table, known);
  return known;
}

function buildNames({ fields, name = '', sqlName = '', purpose = '' }: NamedTable): Names {
  const tables = new Set(
    [name, sqlName].filter((one) => one !== '').map((one) => singular(normaliseKey(one))),
  );
  const heads = new Set([...tables].map((one) => one.replace(/^.*-/, '')));
  const byName = new Map<string, Field[]>();
  const [plurals, derived] = [new Set<string>(), new Set<string>()];
  for (const [surety, spell] of namings.entries()) {
    const tier = new Map<string, Field[]>();
    for (const field of fields) for (const one of spell(field)) collect(tier, normaliseKey(one), field);
    for (const [key, found] of tier) {
      const isOfTable = surety > surest && tables.has(singular(key));
      const isOfHead = surety === pluralsOnly && heads.has(singular(key));
      if (key === '' || byName.has(key) || isOfTable || isOfHead) continue;
      byName.set(key, found);
      if (surety === pluralsOnly) plurals.add(key);
      if (surety > surest) derived.add(key);
    }
  }
  const byValue = valuesOf(fields, (key) => byName.has(key) || heads.has(singular(key)));
  const byStem = stemsOf(fields, (key) => byName.has(key) || byValue.has(key) || heads.has(singular(key)));
  const things = thingsIn(purpose);
  const all = [...byName.keys(), ...byValue.keys(), ...tables];
  const names: Names = {
    fields,
    fieldsBy: (given) => byName.get(normaliseKey(given)) ?? [],
    valuesBy: (given) => byValue.get(normaliseKey(given)) ?? [],
    describedBy: (given) => (/^[a-z]{4,}$/i.test(given) ? (byStem.get(stem(normaliseKey(given))) ?? []) : []),
    isPlural: (given) => plurals.has(normaliseKey(given)),
    isDerived: (given) => derived.has(normaliseKey(given)),
    isEvent: (given) =>
      derived.has(normaliseKey(given)) &&
      names.fieldsBy(given).every((field) => eventOf(field) === normaliseKey(given)),
    isTable(given) {
      const key = normaliseKey(given);
      return names.isTitle(given) || (things.has(singular(key)) && !byName.has(key) && !byValue.has(key));
    },
    isTitle(given) {
      const key = normaliseKey(given);
      if (tables.has(singular(key))) return true;
      return heads.has(singular(key)) && !byName.has(key) && !byValue.has(key);
    },
    isKnown: (given) =>
      names.fieldsBy(given).length > 0 || names.valuesBy(given).length > 0 || names.isTable(given),
    similarTo: (given) =>
      didYouMean(
        given,
        fields.flatMap((field) =>
          [field.name, field.label, field.shortLabel, ...(field.aliases ?? [])].filter(
            (one) => one !== undefined,
          ),
        ),
      ),
    maxWords: Math.min(8, Math.max(1, ...all.map((one) => one.split(/[\s-]+/).length))),
  };
  return names;
}

interface ListedValue {
  readonly field: Field;
  readonly value: string;
}

/** Indexes listed values by spelling. Also indexes their plurals, unless a plural has another meaning. */
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

/** Indexes values of one word by their stem. */
function stemsOf(
  fields: readonly Field[],
  isTaken: (key: string) => boolean,
): ReadonlyMap<string, readonly ListedValue[]> {
  const found = new Map<string, ListedValue[]>();
  for (const field of fields) {
    for (const value of field.values ?? []) {
      const key = stem(normaliseKey(value));
      if (/^[a-z]{4,}$/i.test(value) && !isTaken(key)) collect(found, key, { field, value });
    }
  }
  return found;
}

/**
 * Returns the things that a purpose says the table holds: the plurals before its first preposition, as in
 * "Machines and tools of the workshop".
 */
function thingsIn(purpose: string): ReadonlySet<string> {
  const head =
    /^(?:(?:the|all|our) )*(?:(?:records?|lists?) of )?([^.,:;\n]{0,200})/i.exec(purpose.trim())?.[1] ?? '';
  const [things = ''] = head
    .toLowerCase()
    .split(/\s(?:of|in|on|at|for|with|that|which|we|from|by|and their)\s/);
  const plurals = things.split(/[\s/]+/).filter((word) => /^[a-z-]{3,}[^s]s$/.test(word));
  return new Set(plurals.map((word) => singular(normaliseKey(word))));
}

/** The kinds of names for a field, from most to least certain. */
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

/** Returns the name of the event whose date a field has, such as `shipped` for `shipped_on`. */
function eventOf({ name, type }: Field): string | undefined {
  const isMoment = type === 'date' || type === 'datetime';
  return isMoment && /[_-](?:at|on)$/i.test(name)
    ? normaliseKey(name.replace(/[_-](?:at|on)$/i, ''))
    : undefined;
}

/** The index in `namings` of the last kind of name that takes precedence over the table's name. */
const surest = 1;
const pluralsOnly = namings.length - 1;

function collect<Item>(index: Map<string, Item[]>, key: string, item: Item): void {
  const items = index.get(key) ?? [];
  if (!items.includes(item)) items.push(item);
  index.set(key, items);
}
