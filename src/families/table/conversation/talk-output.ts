import { AgentError, type JsonObject, type Output } from '../../../core/index.ts';
import { declinedError, failedOutput } from '../failed-output.ts';
import { showRecord } from '../show/rows.ts';
import { counted } from '../show/text.ts';
import { recordValues, showCondition, showKey } from '../show/values.ts';
import type { TableContext } from '../table-context.ts';
import type { ChangePlan, WriteSummary } from './plan.ts';
import { faultLines } from './questions.ts';
import type { RequestDraft, ShownPlan, Talk, TalkEnding } from './talk.ts';

/** The outcome of a finished conversation: the plan, how it was shown, and what was written. */
interface Passed {
  readonly plan?: ChangePlan | undefined;
  readonly shown?: ShownPlan | undefined;
  readonly written?: WriteSummary | undefined;
}

/**
 * Returns a conversation's output. If the change was not made, the output is a failure, so that no caller
 * relies on it. Throws if the user declined.
 */
export async function talkOutput(
  context: TableContext,
  talk: Extract<Talk, { phase: 'done' | 'ended' }>,
  passed: Passed,
): Promise<Output> {
  if (talk.phase === 'ended') return endedOutput(context, talk, passed);
  if (passed.written !== undefined) return writtenOutput(context, talk.draft, passed.written, passed);
  const row = passed.plan?.row;
  if (row === undefined) return nothingFound(context, talk.draft);
  const { records, ...cut } = recordValues([row]);
  const text = await showRecord(context, context.table.fields, row);
  return { status: 'done', text, value: { operation: 'show', record: records[0] ?? null, ...cut } };
}

/** The words that report each kind of change. */
const reports: Readonly<Record<RequestDraft['operation'], readonly [verb: string, preposition: string]>> = {
  add: ['Added', 'to'],
  update: ['Changed', 'in'],
  delete: ['Deleted', 'from'],
  import: ['Imported', 'into'],
  undo: ['Undid the change to', 'in'],
  show: ['Changed', 'in'],
};

async function writtenOutput(
  context: TableContext,
  { operation }: RequestDraft,
  { added, updated, deleted, rows, isFinal }: WriteSummary,
  { shown }: Passed,
): Promise<Output> {
  const { table, prose, clock } = context;
  const count = added + updated + deleted;
  const [row, ...others] = rows;
  const isOne = row !== undefined && others.length === 0 && count === 1;
  const key = isOne ? showKey(table, row, clock) : counted(count, 'record');
  // Say "record" before a numeric key, so that the key does not look like a count.
  const what = isOne && /^[\d\s.,-]+$/.test(key) ? `record ${key}` : key;
  const left = shown?.leftOut ?? 0;
  const [verb, preposition] = reports[operation];
  const lines = [
    `${verb} ${what} ${preposition} ${table.name}.`,
    ...(left > 0 ? [`${counted(left, 'record')} with errors ${left === 1 ? 'was' : 'were'} left out.`] : []),
    ...(isOne && deleted === 0 ? [await showRecord(context, table.fields, row)] : []),
    ...(operation === 'undo' || isFinal === true ? [] : ['Say "undo" to reverse this change.']),
  ];
  const value: JsonObject = {
    operation,
    outcome: 'done',
    added,
    updated,
    deleted,
    ...recordValues(rows),
    ...(prose.notEnforced.length === 0 ? {} : { notEnforced: prose.notEnforced }),
  };
  return { status: 'done', text: lines.join('\n'), value };
}

type ErrorArguments = ConstructorParameters<typeof AgentError>;
type Failure = Exclude<TalkEnding, 'none' | 'unchanged' | 'refused' | 'cancelled'>;

const endings: Readonly<Record<Failure, ErrorArguments>> = {
  gone: [
    'usage.not-found',
    'The record that was shown no longer exists. Nothing was changed.',
    { hint: 'List the records again.' },
  ],
  overtaken: [
    'usage.not-found',
    'The last change cannot be undone because its records have been changed again since then. Nothing was changed.',
    { hint: 'Reverse the change manually.' },
  ],
  'given-up': [
    'usage.cancelled',
    'None of your answers could be understood. Nothing was changed.',
    { hint: 'Make the complete request again.' },
  ],
  several: [
    'usage.bad-input',
    'Several records match, but the request is for one. Nothing was changed.',
    { hint: 'Pass the key of one record, or set "many" to true.' },
  ],
};

function endedOutput(
  context: TableContext,
  { draft, why, faults }: Extract<Talk, { phase: 'ended' }>,
  { shown }: Passed,
): Output {
  const { name } = context.table;
  const { operation } = draft;
  if (why === 'none') return nothingFound(context, draft);
  if (why === 'cancelled') throw declinedError();
  if (why === 'unchanged') {
    const text = `Nothing to change in ${name}: the values are already set.`;
    return { status: 'done', text, value: { operation, outcome: 'unchanged' } };
  }
  if (why !== 'refused') return failedOutput(new AgentError(...endings[why]));
  const total = Math.max(shown?.faultCount ?? 0, faults.length);
  const text = [`Nothing was written to ${name}:`, ...faultLines(faults, total)].join('\n');
  const details = { faults: faults.map((fault) => ({ ...fault })), total };
  const hint =
    operation === 'import'
      ? 'Correct the file, or add "skipping faulty rows" to the import request.'
      : 'Correct the values and try again.';
  return failedOutput(new AgentError('usage.bad-input', text, { hint, details }));
}

/**
 * Returns the output for a request that matches no record. This is a failure for a change to a single record,
 * but a normal result for other requests.
 */
function nothingFound({ table, clock }: TableContext, draft: RequestDraft): Output {
  const { operation } = draft;
  if (operation === 'undo')
    return failedOutput(new AgentError('usage.not-found', 'This session has no changes to undo.', {}));
  const where = 'where' in draft ? draft.where : undefined;
  const filter = where === undefined ? '' : ` where ${showCondition(table, where, clock)}`;
  const text = `${table.name} has no records${filter}.`;
  const hint = 'Say "list" to see all records.';
  if (operation === 'show')
    return { status: 'done', text: `${text} ${hint}`, value: { operation, record: null } };
  const changed = `${text} Nothing was changed.`;
  if (operation === 'import' || 'many' in draft)
    return { status: 'done', text: changed, value: { operation, outcome: 'none' } };
  return failedOutput(new AgentError('usage.not-found', changed, { hint }));
}
