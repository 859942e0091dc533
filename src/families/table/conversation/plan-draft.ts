import { hash } from 'node:crypto';
import { AgentError, optional, type JsonObject } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';
import { atLine, type Change } from '../records/change.ts';
import { changedFields } from '../records/changed-fields.ts';
import type { DeleteRequest, UpdateRequest } from '../request/request.ts';
import { isRequired } from '../rules/is-required.ts';
import { planAdds, planUpdates } from '../rules/plan-changes.ts';
import type { RuleGround } from '../rules/rule-ground.ts';
import { counted } from '../show/counted.ts';
import type { Field, Table, TableRow } from '../table.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import { meansOne } from './next-talk.ts';
import { noPlan, type ChangePlan } from './plan.ts';
import { readMeant } from './read-meant.ts';
import type { RequestDraft } from './talk.ts';
import { weighPlan } from './weigh-plan.ts';

/** Finds out what a draft comes to; changes nothing. `file` is what an import is about. */
export async function planDraft(
  ground: Ground,
  draft: RequestDraft,
  file: ReadImport | undefined,
): Promise<ChangePlan> {
  switch (draft.operation) {
    case 'add':
      return weighPlan(ground, await planAdd(ground, draft.records), draft.partial === true);
    case 'import':
      return file === undefined ? noPlan : planImport(ground, file, draft.partial === true);
    case 'undo':
      return planUndo(ground);
    case 'show': {
      const { rows, total } = await ground.records.list({ where: draft.where, limit: 1 });
      const [row] = rows;
      return { ...noPlan, found: total, ...(row === undefined ? {} : { row }) };
    }
    default:
      return weighPlan(ground, await planRows(ground, draft), draft.partial === true);
  }
}

async function planAdd(ground: Ground, records: readonly JsonObject[]): Promise<ChangePlan> {
  const { changes, faults } = await planAdds(ruleGround(ground), records);
  const rows = changes.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const missing = missingFields(ground.table, rows).map(({ name }) => name);
  const others = faults.filter(({ field = '' }) => !ground.ways.asks || !missing.includes(field));
  return { ...noPlan, found: records.length, missing, faults: others, changes };
}

async function planImport(ground: Ground, file: ReadImport, isPartial: boolean): Promise<ChangePlan> {
  const lineOf = (index: number): number | undefined => file.lines[index];
  const { changes, faults } = await planAdds(ruleGround(ground), file.records);
  const unread = new Set(file.faults.map(({ index }) => index));
  const others = faults
    .filter(({ index }) => !unread.has(index))
    .map((fault) => atLine(fault, lineOf(fault.index)));
  const all = [...file.faults, ...others].toSorted((one, other) => one.index - other.index);
  const plan = { ...noPlan, found: file.records.length, faults: all, changes };
  return weighPlan(ground, plan, isPartial, lineOf);
}

async function planUndo({ records, scope }: Ground): Promise<ChangePlan> {
  const last = await records.lastWrite(scope.run.session);
  if (last === undefined) return noPlan;
  if (last.notKept !== undefined) throw notKept(last.notKept);
  return { ...noPlan, found: last.changes.length, changes: last.changes, last };
}

async function planRows(ground: Ground, draft: UpdateRequest | DeleteRequest): Promise<ChangePlan> {
  const { where } = draft;
  const one = meansOne(draft)
    ? await ground.records.list({ ...optional('where', where), limit: 1 })
    : undefined;
  if (one !== undefined && one.total > 1) return { ...noPlan, found: one.total };
  const rows = one?.rows ?? (await readMeant(ground, where));
  const total = rows.length;
  if (draft.operation === 'delete') {
    return { ...noPlan, found: total, changes: rows.map((before) => ({ kind: 'delete', before })) };
  }
  const { changes, faults } = await planUpdates(ruleGround(ground), rows, draft.set);
  const faulty = new Set(faults.map(({ index }) => index));
  const real = [...changes.entries()].filter(
    ([index, change]) => change.kind !== 'update' || faulty.has(index) || isChange(ground, change),
  );
  const places = new Map(real.map(([index], place) => [index, place]));
  return {
    ...noPlan,
    found: total,
    isUnchanged: real.length === 0,
    faults: faults.map((fault) => ({ ...fault, index: places.get(fault.index) ?? fault.index })),
    changes: real.map(([, change]) => change),
  };
}

function isChange({ table }: Ground, { before, after }: Extract<Change, { kind: 'update' }>): boolean {
  return changedFields(table, before, after).length > 0;
}

function ruleGround({ table, prose, clock, seed }: Ground): RuleGround {
  return { table, prose, clock, makeId: createMadeIds(seed) };
}

function notKept(count: number): AgentError {
  const message = `The last change, of ${counted(count, 'record')}, cannot be taken back: what was there before is not kept, or not any more.`;
  return new AgentError('usage.not-found', message, { hint: 'Make the opposite change.' });
}

/** Makes one uuid after the other, always the same ones of the same seed: what was shown is what is written. */
function createMadeIds(seed: string): () => string {
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

/** The fields that new records need and nobody has said yet, of those that are asked for. */
function missingFields(table: Table, records: readonly TableRow[]): readonly Field[] {
  const given = table.interactive.filter(({ derivator }) => derivator === undefined);
  return given.filter((field) =>
    records.some((record) => (record[field.name] ?? null) === null && isRequired(table, field, record)),
  );
}
