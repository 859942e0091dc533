import { isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Condition } from '../../../engines/conditions/conditions.ts';
import { plainReply } from '../../../engines/phrases/replies.ts';
import { readValue } from '../read-value.ts';
import type { TableContext } from '../table-context.ts';
import type { Field } from '../table.ts';
import { readAssignments } from '../words/assignments.ts';
import type { Asking, PersonReply } from './talk.ts';

/** The records that the user can choose from: labels, and conditions that match only that record. */
export interface Choices {
  readonly labels: readonly string[];
  readonly wheres: readonly Condition[];
}

type ReplyContext = Pick<TableContext, 'table' | 'clock'>;

/** Parses an answer to a conversation's current question. Never calls a model. */
export function readReply(context: ReplyContext, talk: Asking, answer: Json, choices: Choices): PersonReply {
  if (typeof answer === 'boolean') return { reply: answer ? 'yes' : 'no' };
  if (isJsonObject(answer)) return valuesIn(context, Object.entries(answer));
  const words = typeof answer === 'string' ? answer.trim() : JSON.stringify(answer);
  const only = onlyField(context, talk);
  const plain = plainReply(words);
  if (plain !== undefined && !(only !== undefined && isOwnValue(context, only, words)))
    return { reply: plain };
  if (words === '') return unclear('');
  if (talk.phase === 'choose') return readChoice(context, words, choices);
  if (talk.phase === 'confirm' && talk.draft.operation !== 'add' && talk.draft.operation !== 'update')
    return unclear('');
  const { table, clock } = context;
  const said =
    (talk.phase === 'confirm' ? undefined : readAssignments(table, words, clock)) ??
    readAssignments(table, withoutLead(words), clock);
  if (said !== undefined) return 'set' in said ? { reply: 'values', set: said.set } : unclear(said.fault);
  if (only !== undefined) return valuesIn(context, [[only.name, unquoted(words)]]);
  return unclear(talk.phase === 'confirm' ? '' : 'Enter each field with its value, separated by commas.');
}

/** Returns the field that a question is about, if there is only one. Its value alone is an answer. */
function onlyField({ table }: ReplyContext, talk: Asking): Field | undefined {
  const names =
    talk.phase === 'capture'
      ? talk.missing
      : talk.phase === 'correct'
        ? talk.faults.map(({ field = '' }) => field)
        : [];
  const [name, ...others] = new Set(names);
  return others.length === 0 ? table.fields.find((field) => field.name === name) : undefined;
}

/** Whether text is a valid value for a field, such as "no" for a boolean field. */
function isOwnValue({ clock }: ReplyContext, field: Field, words: string): boolean {
  const { type, values } = field;
  if (values === undefined) return type === 'boolean' && 'value' in readValue(field, words, clock);
  return values.some((value) => value.toLowerCase() === words.toLowerCase());
}

/** Reads the number, the line or the key of a record. */
function readChoice({ table, clock }: ReplyContext, words: string, choices: Choices): PersonReply {
  const shown = choices.labels.indexOf(words);
  const number = /^#?\d+$/.test(words) ? Number(words.replace('#', '')) - 1 : -1;
  const where = choices.wheres[shown === -1 ? number : shown];
  if (where !== undefined) return { reply: 'record', where };
  const [field, ...others] = table.key;
  const read = field === undefined || /\s/.test(words) ? undefined : readValue(field, words, clock);
  if (field === undefined || others.length > 0 || read === undefined || 'fault' in read)
    return unclear('Enter the number or the key of a record.');
  return { reply: 'record', where: { field: field.name, is: 'equals', value: read.value }, isKey: true };
}

/** Removes the quotes around a value. A quoted value is never interpreted as a reply. */
function unquoted(words: string): string {
  return /^(["'])([^"']+)\1$/.exec(words)?.[2] ?? words;
}

/** Reads values, keyed by field name. */
function valuesIn({ table, clock }: ReplyContext, given: readonly (readonly [string, Json])[]): PersonReply {
  const set: Record<string, Json> = {};
  for (const [name, value] of given) {
    const field = table.find(name);
    if (field === undefined) return unclear(`"${name}" is not a field of ${table.name}.`);
    const read = readValue(field, value, clock);
    if ('fault' in read) return unclear(read.fault);
    set[field.name] = read.value;
  }
  return { reply: 'values', set: set satisfies JsonObject };
}

function unclear(message: string): PersonReply {
  return { reply: 'unclear', message };
}

/** Removes introductory words from a correction. For example, `no, name "Y"` becomes `name "Y"`. */
export function withoutLead(words: string): string {
  return words
    .replace(/^\s*(?:no|nope|yes|ok|okay|sorry|actually|wait|but)\b[\s,.:;-]*/i, '')
    .replace(/^but\s+/i, '');
}
