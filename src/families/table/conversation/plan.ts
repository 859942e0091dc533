import { hash } from 'node:crypto';
import { AgentError, optional, type JsonObject } from '../../../core/index.ts';
import { atLine, type Change, type ChangeFault } from '../records/change.ts';
import { changedFields } from '../records/change.ts';
import type { LastWrite } from '../records/change.ts';
import type { Condition, DeleteRequest, UpdateRequest } from '../request/request.ts';
import { isRequired } from '../rules/check-row.ts';
import { planAdds, planUpdates } from '../rules/plan-changes.ts';
import type { RuleContext } from '../rules/drafts.ts';
import { counted } from '../show/text.ts';
import type { TableContext } from '../table-context.ts';
import type { Field, Table, TableRow } from '../table.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import { meansOne, type RequestDraft } from './talk.ts';

/** The changes required for a draft, and any problems with them. */
export interface ChangePlan {
  readonly found: number;
  readonly missing: readonly string[];
  readonly faults: readonly ChangeFault[];
  readonly isUnchanged: boolean;
  readonly changes: readonly Change[];
  /** The number of changes that were left out because of faults, if the request allows partial changes. */
  readonly leftOut?: number;
  /** The record to show, if the draft shows a single record. */
  readonly row?: TableRow;
  /** The earlier change to undo, if the draft is an undo. */
  readonly last?: LastWrite;
}

/** A plan that changes nothing. */
export const noPlan: ChangePlan = { found: 0, missing: [], faults: [], isUnchanged: false, changes: [] };

/**
 * Plans a draft's changes without making them. For an import, `file` contains the records read from the file.
 */
export async function planDraft(
  context: TableContext,
  draft: RequestDraft,
  file: ReadImport | undefined,
): Promise<ChangePlan> {
  switch (draft.operation) {
    case 'add':
      return weighPlan(context, await planAdd(context, draft.records), draft.partial === true);
    case 'import':
      return file === undefined ? noPlan : planImport(context, file, draft.partial === true);
    case 'undo':
      return planUndo(context);
    case 'show': {
      const { rows, total } = await context.records.list({ where: draft.where, limit: 1 });
      const [row] = rows;
      return { ...noPlan, found: total, ...(row === undefined ? {} : { row }) };
    }
    default:
      return weighPlan(context, await planRows(context, draft), draft.partial === true);
  }
}

async function planAdd(context: TableContext, records: readonly JsonObject[]): Promise<ChangePlan> {
  const { changes, faults } = await planAdds(createRuleContext(context), records);
  const rows = changes.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const missing = missingFields(context.table, rows).map(({ name }) => name);
  const others = faults.filter(({ field = '' }) => !context.ways.asks || !missing.includes(field));
  return { ...noPlan, found: records.length, missing, faults: others, changes };
}

async function planImport(context: TableContext, file: ReadImport, isPartial: boolean): Promise<ChangePlan> {
  const lineOf = (index: number): number | undefined => file.lines[index];
  const { changes, faults } = await planAdds(createRuleContext(context), file.records);
  const unread = new Set(file.faults.map(({ index }) => index));
  const others = faults
    .filter(({ index }) => !unread.has(index))
    .map((fault) => atLine(fault, lineOf(fault.index)));
  const all = [...file.faults, ...others].toSorted((one, other) => one.index - other.index);
  const plan = { ...noPlan, found: file.records.length, faults: all, changes };
  return weighPlan(context, plan, isPartial, lineOf);
}

async function planUndo({ records, scope }: TableContext): Promise<ChangePlan> {
  const last = await records.lastWrite(scope.run.session);
  if (last === undefined) return noPlan;
  if (last.unrecoverableCount !== undefined) throw notUndoable(last.unrecoverableCount);
  return { ...noPlan, found: last.changes.length, changes: last.changes, last };
}

async function planRows(context: TableContext, draft: UpdateRequest | DeleteRequest): Promise<ChangePlan> {
  const { where } = draft;
  const one = meansOne(draft)
    ? await context.records.list({ ...optional('where', where), limit: 1 })
    : undefined;
  if (one !== undefined && one.total > 1) return { ...noPlan, found: one.total };
  const rows = one?.rows ?? (await readMeant(context, where));
  const total = rows.length;
  if (draft.operation === 'delete') {
    return { ...noPlan, found: total, changes: rows.map((before) => ({ kind: 'delete', before })) };
  }
  const { changes, faults } = await planUpdates(createRuleContext(context), rows, draft.set);
  const faulty = new Set(faults.map(({ index }) => index));
  const real = [...changes.entries()].filter(
    ([index, change]) => change.kind !== 'update' || faulty.has(index) || isChange(context, change),
  );
  const positions = new Map(real.map(([index], position) => [index, position]));
  return {
    ...noPlan,
    found: total,
    isUnchanged: real.length === 0,
    faults: faults.map((fault) => ({ ...fault, index: positions.get(fault.index) ?? fault.index })),
    changes: real.map(([, change]) => change),
  };
}

function isChange({ table }: TableContext, { before, after }: Extract<Change, { kind: 'update' }>): boolean {
  return changedFields(table, before, after).length > 0;
}

function createRuleContext({ table, prose, clock, seed }: TableContext): RuleContext {
  return { table, prose, clock, makeId: createSeededIds(seed) };
}

function notUndoable(count: number): AgentError {
  const message = `The last change (${counted(count, 'record')}) cannot be undone because the previous values were not kept or are no longer available.`;
  return new AgentError('usage.not-found', message, { hint: 'Reverse the change manually.' });
}

/**
 * Creates a UUID generator whose sequence depends only on the seed, so that the keys shown in the preview are
 * the keys that are written.
 */
function createSeededIds(seed: string): () => string {
  let count = 0;
  return () => {
    const digits = hash('sha256', `${seed}:${count++}`);
    const variant = ((parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `4${digits.slice(13, 16)}`,
      `${variant}${digits.slice(17, 20)}`,
      digits.slice(20, 32),
    ].join('-');
  };
}

/** Returns the fields to ask the user for: those that are required but missing in a new record. */
function missingFields(table: Table, records: readonly TableRow[]): readonly Field[] {
  const given = table.interactive.filter(({ derivator }) => derivator === undefined);
  return given.filter((field) =>
    records.some((record) => (record[field.name] ?? null) === null && isRequired(table, field, record)),
  );
}

/** The maximum number of records that one update or delete may change. */
const maxChanged = 100_000;

// The maximum total size of the records as JSON, in characters. The limit exists because all records are kept
// in memory.
const maxCharacters = 200_000_000;
const atOnce = 1_000; // The number of records per batch.

/**
 * Reads every record that a change affects. Throws `limit.too-large` if there are too many records or they
 * are too large.
 */
async function readMeant(
  { table, records }: Pick<TableContext, 'table' | 'records'>,
  where: Condition | undefined,
): Promise<readonly TableRow[]> {
  const total = await records.count(where);
  if (total > maxChanged) {
    const [many, most] = [total.toLocaleString('en'), maxChanged.toLocaleString('en')];
    throw tooLarge(`${many} records of ${table.name} match; one change can affect at most ${most}.`);
  }
  const rows: TableRow[] = [];
  let characters = 0;
  for await (const part of records.each(optional('where', where), atOnce)) {
    for (const row of part) {
      characters += JSON.stringify(row).length;
      rows.push(row);
    }
    if (characters > maxCharacters) {
      const most = maxCharacters.toLocaleString('en');
      throw tooLarge(`The matching records in ${table.name} have more than ${most} characters in total.`);
    }
  }
  return rows;
}

function tooLarge(message: string): AgentError {
  return new AgentError('limit.too-large', `${message} Nothing was changed.`, {
    hint: 'Add a condition so that fewer records match.',
  });
}

// The maximum number of changes to check in advance. Larger plans are checked only when they are written.
const maxWeighed = 1_000;
// The maximum number of check rounds. Leaving out a record can invalidate others that refer to it.
const maxRounds = 10;

/**
 * Finds the changes that the database would refuse, before the user is asked to confirm. If the request
 * allows partial changes, these changes are left out. `lineOf` returns a change's line in the file.
 */
async function weighPlan(
  context: TableContext,
  plan: ChangePlan,
  isPartial: boolean,
  lineOf: (index: number) => number | undefined = () => undefined,
): Promise<ChangePlan> {
  if (plan.missing.length > 0) return plan;
  if (!isPartial) return { ...plan, faults: [...plan.faults, ...(await refusals(context, plan, lineOf))] };
  const faulty = new Set(plan.faults.map(({ index }) => index));
  let remaining = [...plan.changes.entries()].filter(([index]) => !faulty.has(index));
  let faults = plan.faults;
  for (let round = 1; remaining.length > 0; round++) {
    const found = await context.records.check(remaining.map(([, change]) => change));
    if (found.length === 0) break;
    const out = new Set(found.map(({ index }) => index));
    faults = [...faults, ...found.map((fault) => placed(fault, remaining, lineOf))];
    remaining = round === maxRounds ? [] : remaining.filter((_entry, index) => !out.has(index));
  }
  if (remaining.length === 0) return { ...plan, faults };
  const changes = remaining.map(([, change]) => change);
  return { ...plan, faults: [], changes, leftOut: plan.changes.length - changes.length };
}

async function refusals(
  { records, ways }: TableContext,
  { changes, faults }: ChangePlan,
  lineOf: (index: number) => number | undefined,
): Promise<readonly ChangeFault[]> {
  if (!ways.confirms || faults.length > 0 || changes.length > maxWeighed) return [];
  const found = await records.check(changes);
  return found.map((fault) => placed(fault, [...changes.entries()], lineOf));
}

function placed(
  fault: ChangeFault,
  remaining: readonly (readonly [number, Change])[],
  lineOf: (index: number) => number | undefined,
): ChangeFault {
  const index = remaining[fault.index]?.[0] ?? fault.index;
  return atLine({ ...fault, index }, lineOf(index));
}
