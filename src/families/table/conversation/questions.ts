import { AgentError, isAgentError, optional, type Json, type JsonObject } from '../../../core/index.ts';
import { fieldsNamed } from '../table.ts';
import type { Condition } from '../request/request.ts';
import { cutText, labelOf } from '../show/text.ts';
import { showTitle } from '../show/values.ts';
import type { TableContext } from '../table-context.ts';
import type { Field, Table, TableRow } from '../table.ts';
import { faultLines, faultText } from './preview.ts';
import { readReply, type Choices } from './reply.ts';
import {
  choicesPerPage,
  type Asking,
  type PersonReply,
  type RequestDraft,
  type ShownPlan,
  type Talk,
} from './talk.ts';

/** Asks the user the conversation's current question and reads the answer. */
export async function askNext(
  context: TableContext,
  talk: Asking,
  shown: ShownPlan | undefined,
  turn: number,
): Promise<PersonReply> {
  const choices = talk.phase === 'choose' ? await recordChoices(context, talk, turn) : noChoices;
  const question = questionFor(context, talk, shown, choices);
  const text = talk.notice === undefined ? question : `${talk.notice}\n${question}`;
  const options =
    talk.phase === 'confirm' ? ['yes', 'no'] : talk.phase === 'choose' ? choices.options : undefined;
  const answer = await ask(context, text, options);
  return readReply(context, talk, answer, choices);
}

function questionFor(
  context: TableContext,
  talk: Asking,
  shown: ShownPlan | undefined,
  choices: RecordedChoices,
): string {
  switch (talk.phase) {
    case 'confirm':
      return shown?.text ?? '';
    case 'choose':
      return choices.text;
    case 'correct':
      return faultText(context, talk.faults, shown?.faultCount ?? talk.faults.length);
    case 'capture':
      return captureText(context, talk.missing, shown);
  }
}

/** Builds one question that asks for all missing values. */
function captureText(
  { table }: TableContext,
  missing: readonly string[],
  shown: ShownPlan | undefined,
): string {
  const fields = fieldsNamed(table, missing);
  const [first] = fields;
  const wrong =
    shown === undefined || shown.faults.length === 0 ? [] : faultLines(shown.faults, shown.faultCount);
  const order =
    fields.length === 1
      ? 'Enter the value, or say "cancel".'
      : `Enter them as fields and values, as in "${fields.map((field) => `${field.name} …`).join(', ')}", or say "cancel".`;
  const head =
    first !== undefined && fields.length === 1
      ? `The new record in ${table.name} needs ${labelOf(first)}:`
      : `The new record in ${table.name} needs ${fields.length} values:`;
  return [head, ...fields.map(fieldLine), ...wrong, order].join('\n');
}

function fieldLine(field: Field): string {
  const { description, values } = field;
  const about = description === '' ? '' : `: ${cutText(description, 200)}`;
  const among = values === undefined ? '' : ` (${cutText(values.join(', '), 200)})`;
  return `- ${labelOf(field)}${about}${among}`;
}

interface RecordedChoices extends Choices {
  readonly text: string;
  readonly options: readonly string[];
}

const noChoices: RecordedChoices = { labels: [], wheres: [], text: '', options: [] };

/**
 * Reads one page of matching records. The page is recorded, so that the numbers shown to the user keep
 * referring to the same records.
 */
async function recordChoices(
  { table, records, clock, scope }: TableContext,
  { draft, page, pages }: Extract<Talk, { phase: 'choose' }>,
  turn: number,
): Promise<RecordedChoices> {
  const where = whereOf(draft);
  const recorded = await scope.step(`choose:${turn}`, async (): Promise<JsonObject> => {
    const window = { limit: choicesPerPage, offset: page * choicesPerPage };
    const { rows, total } = await records.list({ ...window, ...(where === undefined ? {} : { where }) });
    const labels = rows.map((row) => showTitle(table, row, clock));
    const turns = [...(page + 1 < pages ? ['next'] : []), ...(page > 0 ? ['previous'] : [])];
    const whole = draft.operation === 'show' ? [] : ['all'];
    const range = `${page * choicesPerPage + 1} to ${page * choicesPerPage + rows.length} of ${total}`;
    return {
      labels,
      wheres: rows.map((row) => keyOf(table, row)),
      options: [...labels, ...turns, ...whole, 'cancel'],
      text: `${total.toLocaleString('en')} records in ${table.name} match (${range}). Which one do you mean?`,
    };
  });
  return recorded as unknown as RecordedChoices;
}

function whereOf(draft: RequestDraft): Condition | undefined {
  return 'where' in draft ? draft.where : undefined;
}

/** Returns the condition that matches only this record. */
function keyOf({ key }: Table, row: TableRow): Condition {
  return { all: key.map(({ name }) => ({ field: name, is: 'equals' as const, value: row[name] ?? null })) };
}

/**
 * Asks the user a question that expires. Throws `policy.expired` if the user does not answer in time. In that
 * case, nothing has been changed.
 */
export async function ask(
  { scope, minutes }: Pick<TableContext, 'scope' | 'minutes'>,
  text: string,
  options?: readonly string[],
): Promise<Json> {
  const expires = (await scope.now()) + minutes * 60_000;
  try {
    return await scope.ask({ text, expires, ...optional('options', options) });
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.code !== 'policy.expired') throw thrown;
    throw new AgentError('policy.expired', 'The question was not answered in time, so nothing was changed.', {
      hint: 'Make the request again.',
      cause: thrown,
    });
  }
}
