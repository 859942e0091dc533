import { hash } from 'node:crypto';
import { AgentError, counted, optional, type Json, type JsonObject } from '../../../core/index.ts';
import type { Condition } from '../../../engines/conditions/conditions.ts';
import {
  atLine,
  changedFields,
  type Change,
  type ChangeFault,
  type LastWrite,
  type Written,
} from '../records/change.ts';
import type { DeleteRequest, UpdateRequest } from '../request/request.ts';
import { isRequired } from '../rules/check-row.ts';
import type { RuleContext } from '../rules/drafts.ts';
import { planAdds, planUpdates } from '../rules/plan-changes.ts';
import type { TableContext } from '../table-context.ts';
import type { Table, TableRow } from '../table.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import { meansOne, type RequestDraft } from './talk.ts';

/** The changes required for a draft, and any problems with them. */
export interface ChangePlan {
  readonly found: number;
  readonly missing: readonly string[];
  readonly faults: readonly ChangeFault[];
  readonly isUnchanged: boolean;
  /** The keys that the request lists but no record has. */
  readonly absent?: readonly Json[];
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

/** Plans a draft's changes without making them. For an import, `file` has the records of the file. */
export async function planDraft(
  context: TableContext,
  draft: RequestDraft,
  file: ReadImport | undefined,
): Promise<ChangePlan> {
  switch (draft.operation) {
    case 'show': {
      const { rows, total } = await context.records.list({ where: draft.where, limit: 1 });
      return { ...noPlan, found: total, ...optional('row', rows[0]) };
    }
    case 'undo':
      return planUndo(context);
    case 'add':
      return weighPlan(context, await planAdd(context, draft.records), draft.partial === true);
    case 'import': {
      if (file === undefined) return noPlan;
      const plan = await planImport(context, file);
      return weighPlan(context, plan, draft.partial === true, (index) => file.lines[index]);
    }
    default:
      return weighPlan(context, await planRows(context, draft), draft.partial === true);
  }
}

async function planUndo({ records, scope }: TableContext): Promise<ChangePlan> {
  const last = await records.lastWrite(scope.run.session);
  if (last === undefined) return noPlan;
  const { changes, unrecoverableCount } = last;
  if (unrecoverableCount === undefined) return { ...noPlan, found: changes.length, changes, last };
  const message = `The last change (${counted(unrecoverableCount, 'record')}) cannot be undone because the previous values were not kept or are no longer available.`;
  throw new AgentError('usage.not-found', message, { hint: 'Reverse the change manually.' });
}

async function planAdd(context: TableContext, records: readonly JsonObject[]): Promise<ChangePlan> {
  const { changes, faults } = await planAdds(createRuleContext(context), records);
  const rows = changes.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const missing = missingFields(context.table, rows);
  const others = faults.filter(({ field = '' }) => !context.ways.asks || !missing.includes(field));
  return { ...noPlan, found: records.length, missing, faults: others, changes };
}

/** Returns the fields to ask the user for: those that are required but missing in a new record. */
function missingFields(table: Table, records: readonly TableRow[]): readonly string[] {
  const isMissing = (field: Table['interactive'][number]): boolean =>
    field.derivator === undefined &&
    records.some((record) => (record[field.name] ?? null) === null && isRequired(table, field, record));
  return table.interactive.filter(isMissing).map(({ name }) => name);
}

async function planImport(context: TableContext, file: ReadImport): Promise<ChangePlan> {
  const { changes, faults } = await planAdds(createRuleContext(context), file.records);
  const unread = new Set(file.faults.map(({ index }) => index));
  const others = faults
    .filter(({ index }) => !unread.has(index))
    .map((fault) => atLine(fault, file.lines[fault.index]));
  const all = [...file.faults, ...others].toSorted((one, other) => one.index - other.index);
  return { ...noPlan, found: file.records.length, faults: all, changes };
}

async function planRows(context: TableContext, draft: UpdateRequest | DeleteRequest): Promise<ChangePlan> {
  const { table, records } = context;
  const { where } = draft;
  const one = meansOne(draft) ? await records.list({ ...optional('where', where), limit: 1 }) : undefined;
  if (one !== undefined && one.total > 1) return { ...noPlan, found: one.total };
  const rows = one?.rows ?? (await readMeant(context, where));
  const found = rows.length;
  const absent = absentKeys(table, where, rows);
  if (draft.operation === 'delete')
    return { ...noPlan, found, absent, changes: rows.map((before) => ({ kind: 'delete', before })) };
  const { changes, faults } = await planUpdates(createRuleContext(context), rows, draft.set);
  const faulty = new Set(faults.map(({ index }) => index));
  const isReal = (index: number, change: Change): boolean =>
    change.kind !== 'update' ||
    faulty.has(index) ||
    changedFields(table, change.before, change.after).length > 0;
  const real = [...changes.entries()].filter(([index, change]) => isReal(index, change));
  const positions = new Map(real.map(([index], position) => [index, position]));
  return {
    ...noPlan,
    found,
    absent,
    isUnchanged: real.length === 0,
    faults: faults.map((fault) => ({ ...fault, index: positions.get(fault.index) ?? fault.index })),
    changes: real.map(([, change]) => change),
  };
}

/** Returns the keys of a condition that lists keys which no record has. */
function absentKeys(
  { key }: Table,
  where: Condition | undefined,
  rows: readonly TableRow[],
): readonly Json[] {
  const [only, ...others] = key;
  if (where === undefined || !('field' in where) || where.is !== 'in' || !Array.isArray(where.value))
    return [];
  if (only === undefined || others.length > 0 || only.name !== where.field) return [];
  const there = new Set(rows.map((row) => row[only.name]));
  return (where.value as readonly Json[]).filter((value) => !there.has(value));
}

function createRuleContext({ table, prose, clock, seed }: TableContext): RuleContext {
  return { table, prose, clock, makeId: createSeededIds(seed) };
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
    const [a, b, c, d] = [
      digits.slice(0, 8),
      digits.slice(8, 12),
      digits.slice(13, 16),
      digits.slice(17, 20),
    ];
    return `${a}-${b}-4${c}-${variant}${d}-${digits.slice(20, 32)}`;
  };
}

/** The maximum number of records that one update or delete may change. */
const maxChanged = 100_000;
// The maximum total size of these records as JSON, in characters, because they are kept in memory.
const maxCharacters = 200_000_000;
const atOnce = 1_000; // The number of records per batch.

/** Reads every record that a change affects. Throws `limit.too-large` if they are too many or too large. */
async function readMeant(
  { table, records }: TableContext,
  where: Condition | undefined,
): Promise<readonly TableRow[]> {
  const tooLarge = (message: string): AgentError =>
    new AgentError('limit.too-large', `${message} Nothing was changed.`, {
      hint: 'Add a condition so that fewer records match.',
    });
  const total = await records.count(where);
  if (total > maxChanged) {
    const [found, most] = [total.toLocaleString('en'), maxChanged.toLocaleString('en')];
    throw tooLarge(`${found} records of ${table.name} match; one change can affect at most ${most}.`);
  }
  const rows: TableRow[] = [];
  let characters = 0;
  for await (const part of records.each(optional('where', where), atOnce)) {
    rows.push(...part);
    for (const row of part) characters += JSON.stringify(row).length;
    if (characters > maxCharacters) {
      const limit = maxCharacters.toLocaleString('en');
      throw tooLarge(`The matching records in ${table.name} have more than ${limit} characters in total.`);
    }
  }
  return rows;
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
  { records, ways }: TableContext,
  plan: ChangePlan,
  isPartial: boolean,
  lineOf: (index: number) => number | undefined = () => undefined,
): Promise<ChangePlan> {
  const isTooLate = !ways.confirms || plan.faults.length > 0 || plan.changes.length > maxWeighed;
  if (plan.missing.length > 0 || (!isPartial && isTooLate)) return plan;
  const faulty = new Set(plan.faults.map(({ index }) => index));
  let remaining = [...plan.changes.entries()].filter(([index]) => !faulty.has(index));
  let { faults } = plan;
  for (let round = 1; remaining.length > 0; round++) {
    const checked = remaining;
    const found = await records.check(checked.map(([, change]) => change));
    if (found.length === 0) break;
    const out = new Set(found.map(({ index }) => index));
    const placed = found.map((fault) => ({ ...fault, index: checked[fault.index]?.[0] ?? fault.index }));
    faults = [...faults, ...placed.map((fault) => atLine(fault, lineOf(fault.index)))];
    remaining = !isPartial || round === maxRounds ? [] : checked.filter((_, index) => !out.has(index));
  }
  if (remaining.length === 0) return { ...plan, faults };
  const changes = remaining.map(([, change]) => change);
  return { ...plan, faults: [], changes, leftOut: plan.changes.length - changes.length };
}

/** The recorded summary of a write. It is small even if the write is large. */
export interface WriteSummary {
  readonly outcome: Written['outcome'];
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
  /** The first changed records, up to the size limit. */
  readonly rows: readonly TableRow[];
  /** Set if the write cannot be undone. */
  readonly isFinal?: true;
  readonly faults: readonly ChangeFault[];
  readonly faultCount: number;
}

const many = 5_000; // Plans with at least this many changes report progress.

/**
 * Makes a plan's changes in one transaction, at most once per key. Writes nothing if the records have changed
 * since they were shown. If the changes were already made before a crash, returns the earlier result.
 */
export async function writePlan(
  { records, scope }: TableContext,
  key: string,
  { changes, last }: ChangePlan,
  isAsShown: boolean,
): Promise<WriteSummary> {
  if (changes.length >= many) scope.note(`Writing ${changes.length.toLocaleString('en')} records.`);
  const recorded = await scope.step(key, async (stepId) => {
    const author = { stepId, session: scope.run.session };
    const written = isAsShown
      ? await (last === undefined ? records.write(changes, author) : records.undo(last, author))
      : ((await records.written(stepId)) ?? { outcome: 'stale', now: [] });
    return summariseWrite(written) as unknown as JsonObject;
  });
  return recorded as unknown as WriteSummary;
}

const maxRows = 20; // The maximum numbers of records and faults in the summary.
const maxRowCharacters = 1_000_000;

function summariseWrite(written: Written): WriteSummary {
  const none = { added: 0, updated: 0, deleted: 0, rows: [], faults: [], faultCount: 0 };
  const { outcome } = written;
  if (outcome === 'stale') return { ...none, outcome };
  if (outcome === 'refused') {
    const { faults } = written;
    return { ...none, outcome, faults: faults.slice(0, maxRows), faultCount: faults.length };
  }
  let left = maxRowCharacters;
  const isFitting = (row: TableRow): boolean => (left -= JSON.stringify(row).length) >= 0;
  const first = written.rows.slice(0, maxRows);
  const end = first.findIndex((row) => !isFitting(row));
  return { ...none, ...written, rows: end === -1 ? first : first.slice(0, end) };
}
