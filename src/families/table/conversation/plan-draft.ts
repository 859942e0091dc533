import { hash } from 'node:crypto';
import { AgentError, optional, type JsonObject } from '../../../core/index.ts';
import type { TableContext } from '../table-context.ts';
import { atLine, changedFields, type Change } from '../records/change.ts';
import type { DeleteRequest, UpdateRequest } from '../request/request.ts';
import { isRequired } from '../rules/is-required.ts';
import { planAdds, planUpdates } from '../rules/plan-changes.ts';
import type { RuleContext } from '../rules/rule-context.ts';
import { counted } from '../show/counted.ts';
import type { Field, Table, TableRow } from '../table.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import { meansOne } from './next-talk.ts';
import { noPlan, type ChangePlan } from './plan.ts';
import { readMeant } from './read-meant.ts';
import type { RequestDraft } from './talk.ts';
import { weighPlan } from './weigh-plan.ts';

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
