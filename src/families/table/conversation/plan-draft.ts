import { isDeepStrictEqual } from 'node:util';
import { AgentError } from '../../../core/error.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Change, Fault } from '../records/change.ts';
import type { LastWrite } from '../records/records.ts';
import type { DeleteRequest, UpdateRequest } from '../request/request.ts';
import { planAdds, planUpdates, type RuleGround } from '../rules/plan-changes.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import type { TableRow } from '../table.ts';
import type { Ground } from './ground.ts';
import { createMadeIds } from './made-ids.ts';
import { missingFields } from './missing-fields.ts';
import { meansOne } from './next-talk.ts';
import type { Draft } from './talk.ts';

/** What a draft comes to at this moment. */
export interface Plan {
  readonly found: number;
  readonly missing: readonly string[];
  readonly faults: readonly Fault[];
  readonly isUnchanged: boolean;
  readonly changes: readonly Change[];
  /** The one record that is to be shown. */
  readonly row?: TableRow;
  /** The change that is to be taken back. */
  readonly last?: LastWrite;
}

/** The most records that one update or delete may change. */
export const mostChanged = 100_000;

/** Finds out what a draft comes to; changes nothing. `file` is what an import is about. */
export async function planDraft(ground: Ground, draft: Draft, file: ReadImport | undefined): Promise<Plan> {
  switch (draft.operation) {
    case 'add':
      return planAdd(ground, draft.records);
    case 'import':
      return file === undefined ? nothing : planImport(ground, file, draft.partial === true);
    case 'undo':
      return planUndo(ground);
    case 'show': {
      const { rows, total } = await ground.records.list({ where: draft.where, limit: 1 });
      const [row] = rows;
      return { ...nothing, found: total, ...(row === undefined ? {} : { row }) };
    }
    default:
      return planRows(ground, draft);
  }
}

const nothing: Plan = { found: 0, missing: [], faults: [], isUnchanged: false, changes: [] };

async function planAdd(ground: Ground, records: readonly JsonObject[]): Promise<Plan> {
  const { changes, faults } = await planAdds(ruleGround(ground), records);
  const rows = changes.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const missing = missingFields(ground.table, rows).map(({ name }) => name);
  const others = faults.filter(({ field = '' }) => !ground.ways.asks || !missing.includes(field));
  return { ...nothing, found: records.length, missing, faults: others, changes };
}

/** Rows with faults are left out when that was asked for; else they are in the way of all. */
async function planImport(ground: Ground, file: ReadImport, isPartial: boolean): Promise<Plan> {
  const found = file.records.length;
  const { changes, faults } = await planAdds(ruleGround(ground), file.records);
  const unread = new Set(file.faults.map(({ index }) => index));
  const others = faults
    .filter(({ index }) => !unread.has(index))
    .map((fault) => ({ ...fault, message: `Line ${file.lines[fault.index] ?? '?'}: ${fault.message}` }));
  const all = [...file.faults, ...others].toSorted((one, other) => one.index - other.index);
  if (!isPartial) return { ...nothing, found, faults: all, changes };
  const faulty = new Set(all.map(({ index }) => index));
  const kept = changes.filter((_change, index) => !faulty.has(index));
  return { ...nothing, found, changes: kept, isUnchanged: kept.length === 0 };
}

async function planUndo({ records, scope }: Ground): Promise<Plan> {
  const last = await records.lastWrite(scope.session);
  if (last === undefined) return nothing;
  if (last.notKept !== undefined) throw notKept(last.notKept);
  return { ...nothing, found: last.changes.length, changes: last.changes, last };
}

async function planRows(ground: Ground, draft: UpdateRequest | DeleteRequest): Promise<Plan> {
  const { where } = draft;
  const limit = meansOne(draft) ? 1 : mostChanged;
  const { rows, total } = await ground.records.list({ ...(where === undefined ? {} : { where }), limit });
  if (meansOne(draft) && total > 1) return { ...nothing, found: total };
  if (total > rows.length) throw tooMany(ground, total);
  if (draft.operation === 'delete') {
    return { ...nothing, found: total, changes: rows.map((before) => ({ kind: 'delete', before })) };
  }
  const { changes, faults } = await planUpdates(ruleGround(ground), rows, draft.set);
  const real = changes.filter((change) => change.kind !== 'update' || !isSame(change));
  return { ...nothing, found: total, faults, changes: real, isUnchanged: real.length === 0 };
}

function isSame({ before, after }: Extract<Change, { kind: 'update' }>): boolean {
  return isDeepStrictEqual({ ...before }, { ...after });
}

function ruleGround({ table, prose, clock, seed }: Ground): RuleGround {
  return { table, prose, clock, makeId: createMadeIds(seed) };
}

function notKept(count: number): AgentError {
  const message = `The last change was about ${count.toLocaleString('en')} records, and what they were before is not kept any more.`;
  return new AgentError('usage.not-found', message, { hint: 'Make the opposite change.' });
}

function tooMany({ table }: Ground, total: number): AgentError {
  const message = `${total.toLocaleString('en')} records of ${table.name} are meant; one change may be about ${mostChanged.toLocaleString('en')}. Nothing was changed.`;
  return new AgentError('limit.too-large', message, { hint: 'Narrow it with a condition.' });
}
