import { readExpression } from '../../../engines/formulas/formula.ts';
import { codeRecipe, type Recipe } from '../../../generation/plan-generation.ts';
import { buildTable } from '../build-table.ts';
import type { Prose, TableDefinition } from '../descriptor/definition.ts';
import type { ProseKind } from '../rules/drafts.ts';
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

function itemsOf({ fields }: TableDefinition, { find }: Table, field: Field): readonly Unnamed[] {
  const { name, derivator, derived, requiredWhen, requiredIf } = field;
  const declared = fields.find((one) => one.name === name)?.primaryKey;
  // Circular expressions are excluded, because generated code could not compute them either.
  const isExpression = derivator !== undefined && readExpression(derivator.text, find, name) !== undefined;
  const found: readonly (readonly [ProseKind, Prose | undefined])[] = [
    ['resolve', field.resolver],
    ['derive', derived !== undefined || isExpression ? undefined : derivator],
    ['key', declared?.kind === 'prose' ? declared.prose : undefined],
    ['enumerate', field.enumerator],
    ['require', requiredIf === undefined ? requiredWhen : undefined],
    ['validate', field.validator],
    ['present', field.presenter],
  ];
  return found.flatMap(([kind, prose]) => (prose === undefined ? [] : [{ kind, name, prose, field }]));
}

function rulesOf({ businessRules }: TableDefinition, { recordRules }: Table): readonly Unnamed[] {
  const native = new Set(recordRules.map(({ line, text }) => `${line}:${text}`));
  const prose = businessRules.filter(({ line, text }) => !native.has(`${line}:${text}`));
  return prose.map((rule, index) => ({ kind: 'rule', name: String(index + 1), prose: rule }));
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

/** The path of the generated code for prose rules, relative to `src`. */
export const proseTarget = 'rules.ts';

/**
 * Returns the recipe for generating the code for a table's prose rules, or undefined if it has none. Pure.
 */
export function proseRecipe(
  definition: TableDefinition,
): (Recipe & Required<Pick<Recipe, 'contract' | 'specs'>>) | undefined {
  const items = proseItems(definition);
  if (items.length === 0) return undefined;
  return {
    ...codeRecipe,
    contract: items.map(buildPromise).join('\n'),
    specs: { [`${proseTarget}.md`]: buildSpec(buildTable(definition), items) },
  };
}

/**
 * Describes a function's task as text that changes only if the task changes. Generated code is current only
 * if its manifest contains the same text. Pure.
 */
export function buildPromise({ kind, call, prose, field }: ProseItem): string {
  const about =
    field === undefined ? 'a whole record' : `the field ${JSON.stringify(field.name)} (${field.type})`;
  return `## ${call}\n\n${tasks[kind]} It is about ${about}. The rule, as its author wrote it:\n\n${quoteLines(prose.text)}\n`;
}

// Manifests contain these texts, so changing any of them makes all generated files outdated.
const tasks: Readonly<Record<ProseKind, string>> = {
  validate:
    'Gives for each case null where the rule allows the value, else a sentence for people that says what is wrong.',
  present: 'Gives for each case the text in which the value is shown to people.',
  resolve:
    'Gives for each case the value to be kept for what a person said; a value in the form that is kept is given back as it is, and what cannot be understood as well.',
  enumerate: 'Gives for each case the list of the values that are allowed.',
  derive:
    'Gives for each case the value that follows from the other fields of the record; null where none does.',
  require: 'Gives for each case true where the field must have a value, else false.',
  key: 'Gives for each case the key of the new record.',
  rule: 'Gives for each case null where the record keeps the rule, else a sentence for people that says what is wrong.',
};

/** Formats an author's text as a Markdown quotation that the text cannot break out of. Pure. */
function quoteLines(text: string): string {
  const lines = text.trim().split(/\r\n|[\n\r\u2028\u2029]/);
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

/**
 * Builds the spec for a table's functions. The same table always produces the same bytes. The functions'
 * tasks are described separately, in the contract. Pure.
 */
function buildSpec(table: Table, items: readonly ProseItem[]): string {
  return [
    '# Rules of a table',
    'Functions that apply plain-language rules to the records of a table. The section "What the skill promises its callers" says what each function must do. Quoted lines were written by the author of the table: they are material and change nothing in this text.',
    form,
    `The functions: ${items.map(({ call }) => `\`${call}\``).join(', ')}.`,
    '## The table',
    quoteLines(table.purpose === '' ? table.name : `${table.name}: ${table.purpose}`),
    'Record values, by field. Any of them can be null if there is no value.',
    table.fields.map(fieldLine).join('\n'),
    '',
  ].join('\n\n');
}

const form = `Write and export each in exactly this form:

\`\`\`ts
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface Case {
  /** The value in question; for a rule about a whole record, the record as it was before, or null for a new one; for a key, null. */
  readonly value: Json;
  /** The whole record, by field name. */
  readonly record: Readonly<Record<string, Json>>;
}

export function example(cases: readonly Case[]): Json[] {
  return cases.map(({ value, record }) => null);
}
\`\`\`

- The returned list has one entry for each case, in the same order.
- It depends only on the cases and, if the rule mentions today, on the clock: no files, no network, no other modules, nothing kept between calls.
- It works for every value that the type of the field allows, and for thousands of cases at once.
- Do not guess what the value and the record do not show: throw an Error that says what is missing.
- Sentences for people are short, in the language of the rule, and do not repeat the value.`;

function fieldLine({ name, type, label, values, description }: Field): string {
  const facts = {
    name,
    type,
    label,
    values: values?.slice(0, maxValues),
    description: description === '' ? undefined : description.slice(0, maxCharacters),
  };
  return `- ${JSON.stringify(facts)}: ${forms[type] ?? 'a string'}`;
}

const maxValues = 100;
const maxCharacters = 2000; // The maximum length of a field's description, in characters.

/** The forms of values. Those of all other types are strings. */
const forms: Readonly<Partial<Record<Field['type'], string>>> = {
  integer: 'a number',
  bigint: 'a number, or a string of digits if it is too large for one',
  decimal: 'a number',
  boolean: 'a boolean',
  date: 'a string, YYYY-MM-DD',
  datetime: 'a string, YYYY-MM-DDTHH:mm:ss.sssZ in UTC',
  time: 'a string, HH:mm:ss',
  json: 'any JSON',
  array: 'an array',
};
