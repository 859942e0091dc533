import {
  AgentError,
  counted,
  hashOf,
  isAgentError,
  type JsonObject,
  type Output,
} from '../../../core/index.ts';
import { showRecord } from '../show/values.ts';
import { recordValues, showCondition, showKey } from '../show/values.ts';
import type { TableContext } from '../table-context.ts';
import { readImport, type ReadImport } from '../transfer/import-records.ts';
import { noPlan, planDraft, writePlan, type ChangePlan, type WriteSummary } from './plan.ts';
import { askNext, faultLines, preview } from './questions.ts';
import { nextTalk, type RequestDraft, type ShownPlan, type Talk, type TalkEnding } from './talk.ts';
import { declinedError, failedOutput } from '../failed-output.ts';

const maxTurns = 100;
const maxFaults = 20;

/**
 * Runs the conversation about a change until the change is made or abandoned. Every decision is recorded, so
 * that a later process can replay it.
 */
export async function holdTalk(context: TableContext, draft: RequestDraft): Promise<Output> {
  const { table, scope, clock, ways } = context;
  const file = await tried(context, async () =>
    draft.operation === 'import' ? readImport(draft, table, scope, clock) : undefined,
  );
  let talk: Talk = { phase: 'plan', draft };
  let plan: ChangePlan | undefined;
  let shown: ShownPlan | undefined;
  let written: WriteSummary | undefined;
  for (let turn = 1; turn <= maxTurns; turn++) {
    if (talk.phase === 'plan') {
      const { draft: meant } = talk;
      const planned =
        'failure' in file ? file : await tried(context, () => planDraft(context, meant, file.value));
      plan = 'failure' in planned ? noPlan : planned.value;
      const source = 'failure' in file ? undefined : file.value;
      const now = 'failure' in planned ? planned : { value: await showPlan(context, meant, plan, source) };
      shown = (await scope.step(`plan:${turn}`, () => {
        if ('failure' in now) throw now.failure;
        return now.value as unknown as JsonObject;
      })) as unknown as ShownPlan;
      talk = nextTalk(talk, { happened: 'planned', ...shown }, ways);
    } else if (talk.phase === 'write') {
      if (plan === undefined || shown === undefined) break;
      written = await writePlan(context, `write:${turn}`, plan, digestOf(plan) === shown.digest);
      if (written.outcome === 'refused') shown = { ...shown, faultCount: written.faultCount };
      talk = nextTalk(talk, { happened: 'written', ...written }, ways);
    } else if (talk.phase === 'done' || talk.phase === 'ended') {
      return talkOutput(context, talk, { plan, shown, written });
    } else {
      const reply = await askNext(context, talk, shown, turn);
      talk = nextTalk(talk, { happened: 'answered', reply }, ways);
    }
  }
  return talkOutput(context, { phase: 'ended', draft, why: 'given-up', faults: [] }, {});
}

type Tried<Value> = { readonly value: Value } | { readonly failure: AgentError };

/**
 * Calls `work` and returns its value, or its failure as data. A failure is ignored if a plan was recorded
 * before a crash, because that plan may already have been carried out.
 */
async function tried<Value>({ scope }: TableContext, work: () => Promise<Value>): Promise<Tried<Value>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    if (!isAgentError(thrown) || scope.signal.aborted) throw thrown;
    return { failure: thrown };
  }
}

async function showPlan(
  context: TableContext,
  draft: RequestDraft,
  plan: ChangePlan,
  file: ReadImport | undefined,
): Promise<ShownPlan> {
  const { found, missing, faults, isUnchanged, changes, leftOut = 0 } = plan;
  const isReady = changes.length > 0 && missing.length === 0 && faults.length === 0;
  return {
    found,
    missing,
    faults: faults.slice(0, maxFaults),
    faultCount: faults.length,
    isUnchanged,
    leftOut,
    digest: digestOf(plan),
    text: isReady && context.ways.confirms ? await preview(context, draft, plan, file) : '',
  };
}

/** Returns a digest that identifies a plan by its changes and the records they affect. */
function digestOf({ changes, last }: ChangePlan): string {
  // Hash each change separately, because together they can exceed the maximum string length.
  return hashOf([last?.stepId ?? null, ...changes.map(hashOf)]);
}

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
