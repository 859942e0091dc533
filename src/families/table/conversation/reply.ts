import { isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Condition } from '../request/request.ts';
import type { TableContext } from '../table-context.ts';
import type { Field, Table, TableClock } from '../table.ts';
import { readValue } from '../values/value-types.ts';
import { readAssignments } from '../words/assignments.ts';
import type { Asking, PersonReply, PlainReply } from './talk.ts';

/**
 * The records that the user can choose from: a label for each, and a condition that matches only that record.
 */
export interface Choices {
  readonly labels: readonly string[];
  readonly wheres: readonly Condition[];
}

type ReplyContext = Pick<TableContext, 'table' | 'clock'>;

/** Parses an answer to a conversation's current question. Never calls a model. */
export function readReply(context: ReplyContext, talk: Asking, answer: Json, choices: Choices): PersonReply {
  if (typeof answer === 'boolean') return { reply: answer ? 'yes' : 'no' };
  if (isJsonObject(answer)) return valuesIn(context, answer);
  const words = typeof answer === 'string' ? answer.trim() : JSON.stringify(answer);
  if (words === '') return unclear('');
  switch (talk.phase) {
    case 'choose':
      return readChoice(context, words, choices);
    case 'capture':
      return readValues(context, words, talk.missing);
    case 'correct':
      return readValues(context, words, [...new Set(talk.faults.map(({ field = '' }) => field))]);
    case 'confirm':
      return talk.draft.operation === 'add' || talk.draft.operation === 'update'
        ? readCorrection(context, words)
        : (plain(words) ?? unclear(''));
  }
}

function readChoice({ table, clock }: ReplyContext, words: string, { labels, wheres }: Choices): PersonReply {
  const reply = plain(words);
  if (reply !== undefined) return reply;
  const shown = labels.indexOf(words);
  const number = /^#?\d+$/.test(words) ? Number(words.replace('#', '')) - 1 : -1;
  const where = wheres[shown === -1 ? number : shown];
  if (where !== undefined) return { reply: 'record', where };
  const keyed = keyIn(table, words, clock);
  return keyed === undefined
    ? unclear('Enter the number or the key of a record.')
    : { reply: 'record', where: keyed };
}

function keyIn({ key }: Table, words: string, clock: TableClock): Condition | undefined {
  const [field, ...others] = key;
  if (field === undefined || others.length > 0 || /\s/.test(words)) return undefined;
  const read = readValue(field, words, clock);
  return 'fault' in read ? undefined : { field: field.name, is: 'equals', value: read.value };
}

/** Parses assignments. If the question is about a single field, the value alone is sufficient. */
function readValues(context: ReplyContext, words: string, fieldNames: readonly string[]): PersonReply {
  const [name = '', ...others] = fieldNames;
  const only = others.length === 0 ? context.table.fields.find((field) => field.name === name) : undefined;
  const reply = plain(words);
  if (reply !== undefined && !(only !== undefined && isOwnValue(only, words, context.clock))) return reply;
  const said =
    readAssignments(context.table, words, context.clock) ??
    readAssignments(context.table, withoutLead(words), context.clock);
  if (said !== undefined && 'set' in said) return { reply: 'values', set: said.set };
  if (said !== undefined) return unclear(said.fault);
  if (only === undefined) return unclear('Enter each field with its value, separated by commas.');
  const read = readValue(only, unquoted(words), context.clock);
  return 'fault' in read ? unclear(read.fault) : { reply: 'values', set: { [only.name]: read.value } };
}

/** Removes the quotes around a value. A quoted value is never interpreted as a reply. */
function unquoted(words: string): string {
  return /^(["'])([^"']+)\1$/.exec(words)?.[2] ?? words;
}

/** Whether text is a valid value for a field, such as "no" for a boolean field. */
function isOwnValue(field: Field, words: string, clock: TableClock): boolean {
  if (field.type !== 'boolean' && field.values === undefined) return false;
  return (
    'value' in readValue(field, words, clock) && (field.values === undefined || isAmong(field.values, words))
  );
}

function isAmong(values: readonly string[], words: string): boolean {
  return values.some((value) => value.toLowerCase() === words.toLowerCase());
}

function readCorrection({ table, clock }: ReplyContext, words: string): PersonReply {
  const reply = plain(words);
  if (reply !== undefined) return reply;
  const said = readAssignments(table, withoutLead(words), clock);
  if (said === undefined) return unclear('');
  return 'set' in said ? { reply: 'values', set: said.set } : unclear(said.fault);
}

/** Reads the values in a program's answer, keyed by field name. */
function valuesIn({ table, clock }: ReplyContext, given: JsonObject): PersonReply {
  const set: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = table.find(name);
    if (field === undefined) return unclear(`"${name}" is not a field of ${table.name}.`);
    const read = readValue(field, value, clock);
    if ('fault' in read) return unclear(read.fault);
    set[field.name] = read.value;
  }
  return { reply: 'values', set };
}

function plain(words: string): PersonReply | undefined {
  const reply = plainReply(words);
  return reply === undefined ? undefined : { reply };
}

function unclear(message: string): PersonReply {
  return { reply: 'unclear', message };
}

/** Parses a reply that has the same meaning for every question, such as yes or no. */
export function plainReply(words: string): PlainReply | undefined {
  const plain = words
    .trim()
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[\s,]+/g, ' ')
    .replace(/[.!]+$/, '')
    .replace(/ (?:please|thanks|thank you)$/, '');
  return plainReplies.get(plain);
}

/** Removes introductory words from a correction. For example, `no, name "Y"` becomes `name "Y"`. */
export function withoutLead(words: string): string {
  return words
    .replace(/^\s*(?:no|nope|yes|ok|okay|sorry|actually|wait|but)\b[\s,.:;-]*/i, '')
    .replace(/^but\s+/i, '');
}

const spoken: Readonly<Record<PlainReply, string>> = {
  yes: "yes|y|yep|yeah|ok|okay|sure|confirm|confirmed|apply|proceed|correct|do it|go ahead|yes do it|yes go ahead|looks good|that's right|apply it|save it|go on",
  no: "no|n|nope|cancel|stop|abort|quit|exit|never mind|nevermind|forget it|don't|do not|don't do it|cancel it|cancel that|leave it|no cancel|no stop",
  next: 'next|more|next page|show more|further',
  previous: 'previous|back|previous page|prev',
  all: 'all|all of them|every one|everything|both',
};

const plainReplies: ReadonlyMap<string, PlainReply> = new Map(
  (Object.keys(spoken) as PlainReply[]).flatMap((reply) =>
    spoken[reply].split('|').map((words) => [words, reply] as const),
  ),
);
