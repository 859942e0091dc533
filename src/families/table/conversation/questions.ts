import {
  quote,
  AgentError,
  counted,
  cutText,
  isAgentError,
  optional,
  type Json,
  type JsonObject,
} from '../../../core/index.ts';
import type { Change, ChangeFault } from '../records/change.ts';
import { showChanges, showRows } from '../show/values.ts';
import { showTitle } from '../show/values.ts';
import type { TableContext } from '../table-context.ts';
import { fieldsNamed, labelOf, type Field } from '../table.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import type { ChangePlan } from './plan.ts';
import { readReply, type Choices } from './reply.ts';
import { choicesPerPage, type Asking, type PersonReply, type RequestDraft, type ShownPlan } from './talk.ts';

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
  const options = talk.phase === 'confirm' ? ['yes', 'no'] : choices.options;
  const answer = await ask(context, text, options.length === 0 ? undefined : options);
  return readReply(context, talk, answer, choices);
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
  { draft, page, pages }: Extract<Asking, { phase: 'choose' }>,
  turn: number,
): Promise<RecordedChoices> {
  const recorded = await scope.step(`choose:${turn}`, async (): Promise<JsonObject> => {
    const offset = page * choicesPerPage;
    const where = 'where' in draft ? draft.where : undefined;
    const { rows, total } = await records.list({
      limit: choicesPerPage,
      offset,
      ...optional('where', where),
    });
    const labels = rows.map((row) => showTitle(table, row, clock));
    const turns = [...(page + 1 < pages ? ['next'] : []), ...(page > 0 ? ['previous'] : [])];
    const whole = draft.operation === 'show' ? [] : ['all'];
    const range = `${offset + 1} to ${offset + rows.length} of ${total}`;
    return {
      labels,
      wheres: rows.map((row) => ({
        all: table.key.map(({ name }) => ({ field: name, is: 'equals', value: row[name] ?? null })),
      })),
      options: [...labels, ...turns, ...whole, 'cancel'],
      text: `${total.toLocaleString('en')} records in ${table.name} match (${range}). Which one do you mean?`,
    };
  });
  return recorded as unknown as RecordedChoices;
}

function questionFor(
  { table }: TableContext,
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
      return [
        `This cannot be written to ${table.name} yet:`,
        ...faultLines(talk.faults, shown?.faultCount ?? talk.faults.length),
        'Enter the field and its correct value, or say "cancel".',
      ].join('\n');
    case 'capture':
      return captureText(table.name, fieldsNamed(table, talk.missing), shown);
  }
}

/** Builds one question that asks for all missing values. */
function captureText(table: string, fields: readonly Field[], shown: ShownPlan | undefined): string {
  const [only, ...others] = fields;
  const isOne = only !== undefined && others.length === 0;
  const form = fields.map(({ name }) => `${name} …`).join(', ');
  return [
    `The new record in ${table} needs ${isOne ? labelOf(only) : `${fields.length} values`}:`,
    ...fields.map(fieldLine),
    ...(shown === undefined || shown.faults.length === 0 ? [] : faultLines(shown.faults, shown.faultCount)),
    isOne
      ? 'Enter the value, or say "cancel".'
      : `Enter them as fields and values, as in "${form}", or say "cancel".`,
  ].join('\n');
}

function fieldLine(field: Field): string {
  const { description, values } = field;
  const about = description === '' ? '' : `: ${cutText(description, 200)}`;
  return `- ${labelOf(field)}${about}${values === undefined ? '' : ` (${cutText(values.join(', '), 200)})`}`;
}

/** Formats faults, one per line. If the faults are in several records, each line names its record. */
export function faultLines(faults: readonly ChangeFault[], total: number): readonly string[] {
  const isAboutOne = faults.every(({ index }) => index === faults[0]?.index);
  const lines = faults.map(({ index, line, message }) =>
    isAboutOne || line !== undefined ? `- ${message}` : `- Record ${index + 1}: ${message}`,
  );
  const more = total - faults.length;
  return more > 0 ? [...lines, `… and ${more.toLocaleString('en')} more.`] : lines;
}

const firstImported = 3; // The number of imported records to preview.

/** Describes the exact effect of a draft. The user is asked to confirm this description. */
export async function preview(
  context: TableContext,
  draft: RequestDraft,
  { changes, leftOut = 0, absent = [] }: ChangePlan,
  file: ReadImport | undefined,
): Promise<string> {
  const { name, fields } = context.table;
  const { operation } = draft;
  const left = leftOut === 0 ? [] : [`${counted(leftOut, 'record')} with errors will be left out.`];
  if (operation === 'import') {
    const first = changes.slice(0, firstImported);
    const rows = first.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
    const filled = fields.filter((field) => rows.some((row) => (row[field.name] ?? null) !== null));
    const more = changes.length - first.length;
    return [
      `Import ${counted(changes.length, 'record')} from ${cutText(file?.file ?? 'the file', 100)} into ${name}?`,
      await showRows(context, filled, rows),
      ...(more > 0 ? [`… and ${more.toLocaleString('en')} more.`] : []),
      ...left,
      'Say yes or no.',
    ].join('\n');
  }
  const order =
    operation === 'add' || operation === 'update'
      ? 'Say yes or no, or name a field and its new value to change something.'
      : 'Say yes or no.';
  const gone = absent.slice(0, 10).map((key) => `There is no record ${quote(key)}.`);
  return [
    headOf(operation, changes, name),
    await showChanges(context, changes),
    ...gone,
    ...left,
    order,
  ].join('\n');
}

function headOf(operation: RequestDraft['operation'], changes: readonly Change[], table: string): string {
  const what = changes.length === 1 ? 'this record' : counted(changes.length, 'record');
  if (operation === 'add') return `Add ${what} to ${table}?`;
  if (operation !== 'undo') return `${operation === 'delete' ? 'Delete' : 'Change'} ${what} of ${table}?`;
  const kinds = { add: 'added again', update: 'restored', delete: 'removed' };
  const parts = Object.entries(kinds).flatMap(([kind, done]) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? [] : [`${counted(count, 'record')} ${done}`];
  });
  return `Undo the last change to ${table} (${parts.join(' and ')})?`;
}
