import { isAgentError, isJsonObject, normaliseKey, reasonOf } from '../../../core/index.ts';
import { applyChanges } from './apply-changes.ts';
import type { Author, ChangeFault, LastWrite, Written, Changes, ChangeFaults } from './change.ts';
import { checkPlan, findStale, runChecks, uniqueChecks } from './checks.ts';
import { createHistoryTables, findWritten, recordWrite, whyFinal } from './history.ts';
import { cascadeChecks, referenceChecks, referrerChecks } from './links.ts';
import type { RecordsContext } from './records-context.ts';

// The maximum number of attempts. A retry is needed only if another writer made a conflicting change.
const maxAttempts = 3;

/** Applies changes, or undoes an earlier write, exactly once per step id. */
export async function writeChanges(
  context: RecordsContext,
  changes: Changes,
  author: Author,
  taken?: LastWrite,
): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(context, (inside) => write(inside, changes, author, taken));
    } catch (thrown) {
      const refusal = refusalOf(context, changes, thrown);
      if (refusal === undefined) throw thrown;
      // Retry, because the checks of the next attempt can identify the conflicting record.
      if (refusal.isUnique && attempt < maxAttempts) continue;
      return { outcome: 'refused', faults: [refusal.fault] };
    }
  }
}

/** Finds problems with a set of changes by applying them and rolling them back. */
export async function checkWrite(context: RecordsContext, changes: Changes): Promise<ChangeFaults> {
  try {
    return await transact(context, async (inside) => [await findFaults(inside, changes), 'roll back']);
  } catch (thrown) {
    const refusal = refusalOf(context, changes, thrown);
    if (refusal === undefined) throw thrown;
    return [refusal.fault];
  }
}

type Ending = 'commit' | 'roll back';

/** Runs work in a transaction, which is then committed or rolled back. */
async function transact<Value>(
  context: RecordsContext,
  work: (inside: RecordsContext) => Promise<readonly [Value, Ending]>,
): Promise<Value> {
  let result: readonly [Value, Ending] | undefined;
  try {
    return await context.database.write(async (run) => {
      result = undefined; // The database may repeat the work.
      result = await work({ ...context, run });
      if (result[1] === 'roll back') throw new Error('the changes are taken back');
      return result[0];
    });
  } catch (thrown) {
    if (result?.[1] !== 'roll back') throw thrown;
    return result[0];
  }
}

async function write(
  context: RecordsContext,
  changes: Changes,
  author: Author,
  taken: LastWrite | undefined,
): Promise<readonly [Written, Ending]> {
  await createHistoryTables(context);
  const written = await findWritten(context, author.stepId);
  if (written !== undefined) return [written, 'commit'];
  const final = taken && (await whyFinal(context, taken));
  const obstacle = await checkBefore(context, changes, final);
  if (obstacle !== undefined) return [obstacle, 'commit'];
  const applied = await applyChanges(context, changes, taken !== undefined);
  const faults = await runChecks(context, changes, after);
  if (faults.length > 0) return [{ outcome: 'refused', faults }, 'roll back'];
  await recordWrite(context, author, applied, taken);
  return [applied.written, 'commit'];
}

async function findFaults(context: RecordsContext, changes: Changes): Promise<ChangeFaults> {
  const obstacle = await checkBefore(context, changes);
  if (obstacle !== undefined) return obstacle.outcome === 'refused' ? obstacle.faults : [];
  // Changes that add numbered records are not applied here, because PostgreSQL does not reuse a number, even
  // after a rollback.
  const isNumbered = context.table.key[0]?.key === 'auto-increment';
  if (!isNumbered || changes.every(({ kind }) => kind !== 'add')) await applyChanges(context, changes, false);
  else if (refersToItself(context)) return [];
  return runChecks(context, changes, after);
}

// The checks that run before changes are applied, and those that need the result.
const before = [uniqueChecks, cascadeChecks];
const after = [referenceChecks, referrerChecks];

/**
 * Checks changes before anything is written. Returns why they cannot be made, or undefined if they can.
 * `final` says why the write that they would undo is final.
 */
async function checkBefore(
  context: RecordsContext,
  changes: Changes,
  final?: string,
): Promise<Exclude<Written, { outcome: 'done' }> | undefined> {
  const known = final === undefined ? [] : [{ index: 0, message: final }];
  const planned = [...known, ...checkPlan(context, changes)];
  if (planned.length > 0) return { outcome: 'refused', faults: planned };
  const now = await findStale(context, changes);
  if (now.length > 0) return { outcome: 'stale', now };
  const faults = await runChecks(context, changes, before);
  return faults.length > 0 ? { outcome: 'refused', faults } : undefined;
}

function refersToItself({ table }: RecordsContext): boolean {
  const own = normaliseKey(table.name);
  return table.fields.some(({ references }) => references && normaliseKey(references.table) === own);
}

/**
 * Returns a fault for changes that the database refused, or undefined if the error has another cause. If there
 * are several changes, it is not known which one was refused.
 */
function refusalOf(
  { table }: RecordsContext,
  changes: Changes,
  thrown: unknown,
): { readonly fault: ChangeFault; readonly isUnique: boolean } | undefined {
  if (!isAgentError(thrown) || thrown.code !== 'usage.bad-input' || !isJsonObject(thrown.details))
    return undefined;
  const { refused } = thrown.details;
  if (refused !== 'unique' && refused !== 'other') return undefined;
  const what = changes.length === 1 ? 'the change' : `one of ${changes.length} changes`;
  const message = `The database refused ${what} of ${table.name}: ${reasonOf(thrown)}`;
  return { fault: { index: 0, message }, isUnique: refused === 'unique' };
}
