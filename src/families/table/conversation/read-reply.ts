import { isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';
import type { Condition } from '../request/request.ts';
import type { TableClock, Field, Table } from '../table.ts';
import { readValue } from '../values/read-value.ts';
import { readAssignments } from '../words/read-assignments.ts';
import { plainReply, withoutLead, type PersonReply } from './reply.ts';
import type { Talk } from './talk.ts';

/** What a person can choose from: the lines that were shown, and what each stands for. */
export interface Choices {
  readonly labels: readonly string[];
  readonly wheres: readonly Condition[];
}

type ReplyGround = Pick<Ground, 'table' | 'clock'>;

/** What an answer says to the question that a conversation stands at; never asks a model. */
export function readReply(
  ground: ReplyGround,
  talk: Extract<Talk, { tries: number }>,
  answer: Json,
  choices: Choices,
): PersonReply {
  if (typeof answer === 'boolean') return { reply: answer ? 'yes' : 'no' };
  if (isJsonObject(answer)) return valuesIn(ground, answer);
  const words = typeof answer === 'string' ? answer.trim() : JSON.stringify(answer);
  if (words === '') return unclear('');
  switch (talk.phase) {
    case 'choose':
      return readChoice(ground, words, choices);
    case 'capture':
      return readValues(ground, words, talk.missing);
    case 'correct':
      return readValues(ground, words, [...new Set(talk.faults.map(({ field = '' }) => field))]);
    case 'confirm':
      return talk.draft.operation === 'add' || talk.draft.operation === 'update'
        ? readCorrection(ground, words)
        : (plain(words) ?? unclear(''));
  }
}

function readChoice({ table, clock }: ReplyGround, words: string, { labels, wheres }: Choices): PersonReply {
  const reply = plain(words);
  if (reply !== undefined) return reply;
  const shown = labels.indexOf(words);
  const number = /^#?\d+$/.test(words) ? Number(words.replace('#', '')) - 1 : -1;
  const where = wheres[shown === -1 ? number : shown];
  if (where !== undefined) return { reply: 'record', where };
  const keyed = keyIn(table, words, clock);
  return keyed === undefined
    ? unclear('Say the number or the key of a record.')
    : { reply: 'record', where: keyed };
}

function keyIn({ key }: Table, words: string, clock: TableClock): Condition | undefined {
  const [field, ...others] = key;
  if (field === undefined || others.length > 0 || /\s/.test(words)) return undefined;
  const read = readValue(field, words, clock);
  return 'fault' in read ? undefined : { field: field.name, is: 'equals', value: read.value };
}

/** Assignments, or a bare value where exactly one field is asked for. */
function readValues(ground: ReplyGround, words: string, wanted: readonly string[]): PersonReply {
  const [name = '', ...others] = wanted;
  const only = others.length === 0 ? ground.table.fields.find((field) => field.name === name) : undefined;
  const reply = plain(words);
  if (reply !== undefined && !(only !== undefined && isItsWord(only, words, ground.clock))) return reply;
  const said =
    readAssignments(ground.table, words, ground.clock) ??
    readAssignments(ground.table, withoutLead(words), ground.clock);
  if (said !== undefined && 'set' in said) return { reply: 'values', set: said.set };
  if (said !== undefined) return unclear(said.fault);
  if (only === undefined) return unclear('Say each field with its value, separated by commas.');
  const read = readValue(only, unquoted(words), ground.clock);
  return 'fault' in read ? unclear(read.fault) : { reply: 'values', set: { [only.name]: read.value } };
}

/** A value that stands in quotes so that it is taken for nothing else. */
function unquoted(words: string): string {
  return /^(["'])([^"']+)\1$/.exec(words)?.[2] ?? words;
}

/** Whether words like "no" are values of a field, as of one that says yes or no. */
function isItsWord(field: Field, words: string, clock: TableClock): boolean {
  if (field.type !== 'boolean' && field.values === undefined) return false;
  return (
    'value' in readValue(field, words, clock) && (field.values === undefined || isAmong(field.values, words))
  );
}

function isAmong(values: readonly string[], words: string): boolean {
  return values.some((value) => value.toLowerCase() === words.toLowerCase());
}

function readCorrection({ table, clock }: ReplyGround, words: string): PersonReply {
  const reply = plain(words);
  if (reply !== undefined) return reply;
  const said = readAssignments(table, withoutLead(words), clock);
  if (said === undefined) return unclear('');
  return 'set' in said ? { reply: 'values', set: said.set } : unclear(said.fault);
}

/** Values that a program answers with, by the names of fields. */
function valuesIn({ table, clock }: ReplyGround, given: JsonObject): PersonReply {
  const set: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = table.find(name);
    if (field === undefined) return unclear(`"${name}" is no field of ${table.name}.`);
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
