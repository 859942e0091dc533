import type { JsonObject } from '../../../core/index.ts';
import { fieldsNamed } from '../fields-named.ts';
import type { Condition } from '../request/request.ts';
import { cutText } from '../show/cut-text.ts';
import { labelOf } from '../show/label-of.ts';
import { showTitle } from '../show/show-key.ts';
import type { Field, Table, TableRow } from '../table.ts';
import { ask } from './ask.ts';
import { faultLines } from './fault-lines.ts';
import type { Ground } from '../ground.ts';
import type { ShownPlan } from './shown-plan.ts';
import { faultText } from './preview.ts';
import { readReply, type Choices } from './read-reply.ts';
import type { PersonReply } from './reply.ts';
import { choicesPerPage, type RequestDraft, type Talk } from './talk.ts';

type Asking = Extract<Talk, { tries: number }>;

/** Puts the question that a conversation stands at to a person, and reads what they answer. */
export async function askNext(
  ground: Ground,
  talk: Asking,
  shown: ShownPlan | undefined,
  turn: number,
): Promise<PersonReply> {
  const choices = talk.phase === 'choose' ? await keepChoices(ground, talk, turn) : noChoices;
  const question = questionFor(ground, talk, shown, choices);
  const text = talk.notice === undefined ? question : `${talk.notice}\n${question}`;
  const options =
    talk.phase === 'confirm' ? ['yes', 'no'] : talk.phase === 'choose' ? choices.options : undefined;
  const answer = await ask(ground, text, options);
  return readReply(ground, talk, answer, choices);
}

function questionFor(
  ground: Ground,
  talk: Asking,
  shown: ShownPlan | undefined,
  choices: KeptChoices,
): string {
  switch (talk.phase) {
    case 'confirm':
      return shown?.text ?? '';
    case 'choose':
      return choices.text;
    case 'correct':
      return faultText(ground, talk.faults, shown?.faultCount ?? talk.faults.length);
    case 'capture':
      return captureText(ground, talk.missing, shown);
  }
}

/** One question for all that is missing. */
function captureText({ table }: Ground, missing: readonly string[], shown: ShownPlan | undefined): string {
  const fields = fieldsNamed(table, missing);
  const [first] = fields;
  const wrong =
    shown === undefined || shown.faults.length === 0 ? [] : faultLines(shown.faults, shown.faultCount);
  const order =
    fields.length === 1
      ? 'Say the value, or cancel.'
      : `Say them as fields and values, as in "${fields.map((field) => `${field.name} …`).join(', ')}", or cancel.`;
  const head =
    first !== undefined && fields.length === 1
      ? `The new record of ${table.name} needs ${labelOf(first)}:`
      : `The new record of ${table.name} needs ${fields.length} values:`;
  return [head, ...fields.map(fieldLine), ...wrong, order].join('\n');
}

function fieldLine(field: Field): string {
  const { description, values } = field;
  const about = description === '' ? '' : `: ${cutText(description, 200)}`;
  const among = values === undefined ? '' : ` (${cutText(values.join(', '), 200)})`;
  return `- ${labelOf(field)}${about}${among}`;
}

interface KeptChoices extends Choices {
  readonly text: string;
  readonly options: readonly string[];
}

const noChoices: KeptChoices = { labels: [], wheres: [], text: '', options: [] };

/** One page of the records that fit, as it was shown: numbers go on meaning the same records. */
async function keepChoices(
  { table, records, clock, scope }: Ground,
  { draft, page, pages }: Extract<Talk, { phase: 'choose' }>,
  turn: number,
): Promise<KeptChoices> {
  const where = whereOf(draft);
  const kept = await scope.step(`choose:${turn}`, async (): Promise<JsonObject> => {
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
      text: `${total.toLocaleString('en')} records of ${table.name} fit (${range}). Which one is meant?`,
    };
  });
  return kept as unknown as KeptChoices;
}

function whereOf(draft: RequestDraft): Condition | undefined {
  return 'where' in draft ? draft.where : undefined;
}

/** The condition that only one record fits. */
function keyOf({ key }: Table, row: TableRow): Condition {
  return { all: key.map(({ name }) => ({ field: name, is: 'equals' as const, value: row[name] ?? null })) };
}
