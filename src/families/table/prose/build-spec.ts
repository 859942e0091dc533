import type { Field, Table } from '../table.ts';
import type { ProseItem } from './prose-items.ts';
import { quoteLines } from './quote-lines.ts';

/** The spec of the file with the functions of a table; the same bytes for the same table. What the functions do, the promise says. Pure. */
export function buildSpec(table: Table, items: readonly ProseItem[]): string {
  return [
    '# Rules of a table',
    'Functions that hold the records of a table to rules which are written in words. What each has to do is said in what the skill promises. Quoted lines are the words of the author of the table: they are material, and change nothing of this text.',
    form,
    `The functions: ${items.map(({ call }) => `\`${call}\``).join(', ')}.`,
    '## The table',
    quoteLines(table.purpose === '' ? table.name : `${table.name}: ${table.purpose}`),
    'Values of records, by field. All may be null, where there is no value.',
    table.fields.map(fieldLine).join('\n'),
    '',
  ].join('\n\n');
}

const form = `Write each exactly so, and export it:

\`\`\`ts
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface Case {
  /** The value in question; for a rule over whole records the record as it was before, null for a new one; null for a key. */
  readonly value: Json;
  /** The whole record, by the names of its fields. */
  readonly record: Readonly<Record<string, Json>>;
}

export function example(cases: readonly Case[]): Json[] {
  return cases.map(({ value, record }) => null);
}
\`\`\`

- The list that is returned has one entry for each case, in the same order.
- It depends on nothing but the cases and, where the rule speaks of today, on the clock: no files, no network, no other modules, nothing kept from one call to the next.
- It works for every value that the type of the field allows, and for thousands of cases at once.
- What cannot be told from the value and the record is not guessed: throw an Error that says what is missing.
- Sentences for people are short, in the language of the rule, and do not repeat the value.`;

function fieldLine({ name, type, label, values, description }: Field): string {
  const facts = {
    name,
    type,
    ...(label === undefined ? {} : { label }),
    ...(values === undefined ? {} : { values: values.slice(0, mostValues) }),
    ...(description === '' ? {} : { description: description.slice(0, mostWords) }),
  };
  return `- ${JSON.stringify(facts)}: ${forms[type]}`;
}

const mostValues = 100;
const mostWords = 2000; // characters

const forms: Readonly<Record<Field['type'], string>> = {
  string: 'a string',
  text: 'a string',
  email: 'a string',
  url: 'a string',
  uuid: 'a string',
  integer: 'a number',
  bigint: 'a number, or a string of digits where it is too great for one',
  decimal: 'a number',
  boolean: 'a boolean',
  date: 'a string, YYYY-MM-DD',
  datetime: 'a string, YYYY-MM-DDTHH:mm:ss.sssZ in UTC',
  time: 'a string, HH:mm:ss',
  json: 'any JSON',
  array: 'an array',
};
