import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { counted, cutText, optional, type SqlStatement } from '../../../core/index.ts';
import { groupOf, newStorage } from '../../../engines/sql/column-types.ts';
import { isUnique } from '../../../engines/sql/existing-table.ts';
import { compilePiece, readTotal, runPiece, tablePiece, type Piece } from '../../../engines/sql/pieces.ts';
import { isWider, mergeRoles, showRoles, type Roles } from '../access.ts';
import { changeKey, changeType } from './alterations.ts';
import type { AssignedColumn, SchemaContext } from './schema-context.ts';
import { readConversion } from './stored-values.ts';
import type { TableRecord } from './table-record.ts';
import { createIndex, dropIndex } from './table-statements.ts';

/** A database change that needs approval. */
export interface Proposal {
  /** The proposal's id. The same change to the same table always has the same id. */
  readonly id: string;
  readonly kind: 'type' | 'key' | 'drop' | 'unique' | 'missing' | 'wider-roles' | 'narrower-roles';
  /** A one-sentence description for users. */
  readonly text: string;
  /** The SQL statements, with their values as parameters. */
  readonly sql: readonly string[];
  readonly losesData: boolean;
  /** A sentence that explains why the change cannot be applied now. Absent if approval is enough. */
  readonly obstacle?: string;
  /**
   * The approver needs at least one of these roles, in addition to the roles in the file. Absent if the
   * file's roles are enough.
   */
  readonly approvers?: readonly string[];
}

/** A proposal and the effect of approving it. */
export interface ProposalPlan {
  readonly proposal: Proposal;
  /** Whether the table is unusable until the change is made. */
  readonly isBlocking: boolean;
  /** The statements that make the change, in order. */
  readonly statements: readonly SqlStatement[];
  /** Returns the table's entry in `skilled_tables` after the change. */
  record(before: TableRecord): TableRecord;
}

/** A change that a plan is built from. By default, it is blocking and has no further effect. */
interface Change extends Pick<Proposal, 'kind' | 'text'> {
  /** Values that distinguish the change from others of its kind. They never depend on the table's records. */
  readonly about: readonly unknown[];
  readonly isBlocking?: false;
  readonly pieces?: readonly Piece[];
  readonly losesData?: boolean;
  readonly obstacle?: string | undefined;
  readonly approvers?: readonly string[] | undefined;
  readonly record?: ProposalPlan['record'];
}

/**
 * Returns all changes that need approval, blocking ones first. If the role policy grants more access than was
 * approved, returns only the policy change, because the other changes would reveal data.
 */
export async function proposeChanges(context: SchemaContext): Promise<readonly ProposalPlan[]> {
  const changes: Change[] = [...changesOfRoles(context)];
  if (changes.every(({ isBlocking }) => isBlocking === false)) {
    changes.push(...missingInView(context), ...(await changesOfKey(context)));
    for (const column of context.columns) changes.push(...(await changesOfType(context, column)));
    for (const column of context.columns) changes.push(...(await brokenUniqueness(context, column)));
    changes.push(...(await formerColumns(context)));
  }
  const plans = changes.map((change) => buildPlan(context, change));
  return plans.toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
}

function buildPlan({ executor, table }: SchemaContext, change: Change): ProposalPlan {
  const { kind, text, about, pieces = [], record = (before) => before } = change;
  const statements = pieces.map((piece) => compilePiece(executor, piece));
  return {
    proposal: {
      id: `${kind}-${hash('sha256', JSON.stringify([table.name, ...about])).slice(0, 12)}`,
      kind,
      text,
      sql: statements.map((statement) => statement.sql),
      losesData: change.losesData === true,
      ...optional('obstacle', change.obstacle),
      ...optional('approvers', change.approvers),
    },
    isBlocking: change.isBlocking !== false,
    statements,
    record,
  };
}

/**
 * Proposes role policy changes. If the policy in the file grants more access than was approved, the table is
 * unusable until this policy is approved. A policy that grants less access is proposed as the new approved
 * policy. Pure.
 */
function changesOfRoles({ table, stored }: SchemaContext): readonly Change[] {
  if (stored === undefined) return [];
  const approved = stored.record.roles;
  const declared: Roles = table.roles ?? null;
  const comparison = `than was approved. Approved: ${showRoles(approved)}; in the file ${showRoles(declared)}.`;
  const change = (side: 'wider' | 'narrower', than: Roles): Change => {
    const roles = mergeRoles(than, declared);
    return {
      kind: `${side}-roles`,
      about: [declared],
      text: `The role policy of "${table.name}" grants ${side === 'wider' ? 'more' : 'less'} ${comparison}`,
      record: (before) => ({ ...before, roles }),
    };
  };
  if (isWider(declared, approved)) {
    // Only the most trusted roles of the approved policy can widen it, so that users cannot grant themselves access.
    const { read = [], write = [] } = approved ?? {};
    return [{ ...change('wider', approved), approvers: [write, read].find((names) => names.length > 0) }];
  }
  if (!isWider(approved, declared)) return [];
  return [{ ...change('narrower', { read: [], write: [] }), isBlocking: false }];
}

/** Reports fields without a column in a view, because columns cannot be added to a view. Pure. */
function missingInView({ existing, columns }: SchemaContext): readonly Change[] {
  if (existing?.isView !== true) return [];
  const missing = columns.filter((column) => column.existing === undefined);
  return missing.map(({ field }) => ({
    kind: 'missing',
    about: [field.name],
    text: `The view "${existing.table}" has no column for the field "${field.name}".`,
    obstacle: 'Add the column to the view, or remove the field from the file.',
  }));
}

/** Proposes a new key if the database's key differs from the one in the file. */
async function changesOfKey(context: SchemaContext): Promise<readonly Change[]> {
  const { executor, existing, key, name, isOwn } = context;
  if (existing === undefined || existing.isView) return [];
  const there = key.flatMap((column) => (column.existing === undefined ? [] : [column.name]));
  const isNumbered = key.every(
    ({ field, existing: column }) => field.key !== 'auto-increment' || column?.isNumbered === true,
  );
  // A table without a key needs no change, because its records can still be read.
  const isUsable = existing.key.length === 0 || isUnique(existing, there);
  if (there.length === key.length && isNumbered && isUsable) return [];
  const isForeign = executor.kind === 'sqlite' && !isOwn;
  const rows = await readTotal(executor, sql`select count(*) as total from ${tablePiece(name)}`);
  const expected = key.map(({ field }) => `"${field.name}"`).join(' and ');
  const was = existing.key.map((column) => `"${column}"`).join(' and ') || 'none';
  return [
    {
      kind: 'key',
      about: [key.map(({ field }) => [field.name, field.key])],
      text: `The key of "${existing.table}" is ${was} but should be ${expected}. This affects ${counted(rows, 'record')}.`,
      pieces: isForeign ? [] : await changeKey(context),
      obstacle: isForeign
        ? 'The table was not created by a skill. Change its key yourself, or change the key in the file.'
        : await keyObstacle(context, there, rows),
    },
  ];
}

/** Explains why the key cannot be changed yet: some records would have no key or the same key. */
async function keyObstacle(
  { executor, name, key }: SchemaContext,
  there: readonly string[],
  rows: number,
): Promise<string | undefined> {
  const missing = key.find(({ field, existing }) => existing === undefined && field.key !== 'auto-increment');
  if (missing !== undefined && rows > 0)
    return `No record has a value for "${missing.field.name}". First add it as a plain field, then fill in its values.`;
  if (there.length === 0) return undefined;
  const empty = joinColumns(there, (column) => sql`${column} is null`, sql` or `);
  const query = sql`select count(*) as total from ${tablePiece(name)} where ${empty}`;
  const lacking = await readTotal(executor, query);
  if (lacking > 0) return `${counted(lacking, 'record')} would have no key. Fill in the field first.`;
  const doubles = await readDoubles({ executor, name }, there);
  if (doubles.length === 0) return undefined;
  return `Several records would have the same key, such as ${doubles.join(', ')}. Change these records first.`;
}

/** Proposes a conversion if a field's values are not stored in the form that its type requires. */
async function changesOfType(context: SchemaContext, column: AssignedColumn): Promise<readonly Change[]> {
  const { executor, existing, isOwn } = context;
  const { field, isFit, recorded } = column;
  if (existing === undefined || (isFit && !isDoubtful(context, column))) return [];
  const storage = isFit ? column.storage : newStorage(executor.kind, field.type);
  const conversion = await readConversion(context, column, storage);
  if (isFit && conversion.isUnchanged) return [];
  const isForeign = executor.kind === 'sqlite' && !isFit && !isOwn;
  const { rows, unfit, unfitRows } = conversion;
  const was = recorded?.type ?? column.existing?.type.toLowerCase() ?? 'text';
  const examples = unfit.map((value) => `"${value}"`).join(', ');
  const entry = { field: field.name, column: column.name, type: field.type, ...storage };
  const obstacles = [
    existing.isView && 'The table is a view. Change the view, or change the type in the file.',
    isForeign &&
      'The table was not created by a skill. Change the column yourself, or change the type in the file.',
    unfitRows > 0 &&
      `${counted(unfitRows, 'value')} cannot be converted, such as ${examples}. Correct them first.`,
  ];
  return [
    {
      kind: 'type',
      about: [field.name, field.type],
      text: `The field "${field.name}" is stored as ${was} but should be ${field.type}. ${counted(rows, 'value')} would be converted.`,
      pieces: isForeign ? [] : await changeType(context, { column, storage, conversion }),
      obstacle: obstacles.find((obstacle) => obstacle !== false),
      record: (before) => ({
        ...before,
        fields: [...before.fields.filter((other) => other.column !== column.name), entry],
      }),
    },
  ];
}

/** Whether a column of a suitable type may still contain values that do not fit the field's type. */
function isDoubtful({ executor }: SchemaContext, { field, existing, recorded }: AssignedColumn): boolean {
  if (existing === undefined) return false;
  const group = groupOf(field.type);
  if (recorded !== undefined) return groupOf(recorded.type) !== group;
  return executor.kind === 'sqlite' && !['text', 'whole', 'decimal'].includes(group);
}

/** Reports a field that is newly declared unique although several records have the same value. */
async function brokenUniqueness(
  { executor, existing, name }: SchemaContext,
  { field, name: column, existing: there }: AssignedColumn,
): Promise<readonly Change[]> {
  const isNew = field.unique === true && field.key === undefined && there !== undefined;
  if (!isNew || existing === undefined || existing.isView || isUnique(existing, [column])) return [];
  const doubles = await readDoubles({ executor, name }, [column]);
  if (doubles.length === 0) return [];
  return [
    {
      kind: 'unique',
      about: [field.name],
      text: `"${field.name}" is unique in the file, but several records have the same value: ${doubles.join(', ')}.`,
      pieces: [createIndex(executor.kind, name, column, 'unique', false)],
      obstacle: 'Give these records different values first, or remove "Unique" from the file.',
    },
  ];
}

/**
 * Proposes to drop columns whose fields are no longer in the descriptor. Until they are dropped, their values
 * are kept but not shown.
 */
async function formerColumns(context: SchemaContext): Promise<readonly Change[]> {
  const { executor, existing, name, stored, columns } = context;
  if (existing === undefined || existing.isView || stored === undefined) return [];
  const used = new Set(columns.map((column) => column.name));
  const ours = stored.record.fields.map(({ column }) => column);
  const former = existing.columns
    .map((column) => column.name)
    .filter((column) => !used.has(column) && ours.includes(column) && !existing.key.includes(column));
  const changes: Change[] = [];
  for (const column of former) {
    const query = sql`select count(${sql.id(column)}) as total from ${tablePiece(name)}`;
    const values = await readTotal(executor, query);
    const indexes = (['unique', 'order'] as const).map((use) => dropIndex(name, column, use));
    const drop = sql`alter table ${tablePiece(name)} drop column ${sql.id(column)}`;
    changes.push({
      kind: 'drop',
      about: [column],
      isBlocking: false,
      text: `The file no longer has a field for the column "${column}" of "${existing.table}", which holds ${counted(values, 'value')}.`,
      pieces: [...indexes, drop],
      losesData: values > 0,
      record: (before) => ({ ...before, fields: before.fields.filter((entry) => entry.column !== column) }),
    });
  }
  return changes;
}

const maxShown = 5;

/** Returns examples of values, or combinations of values, that occur in more than one row. */
async function readDoubles(
  { executor, name }: Pick<SchemaContext, 'executor' | 'name'>,
  columns: readonly string[],
): Promise<readonly string[]> {
  const names = joinColumns(columns, (column) => column, sql`, `);
  const filled = joinColumns(columns, (column) => sql`${column} is not null`, sql` and `);
  const rows = await runPiece(
    executor,
    sql`select ${names} from ${tablePiece(name)} where ${filled}
      group by ${names} having count(*) > 1 order by ${names} limit ${sql.lit(maxShown)}`,
  );
  return rows.map((row) => columns.map((column) => cutText(String(row[column]), 60)).join(' and '));
}

function joinColumns(columns: readonly string[], write: (column: Piece) => Piece, by: Piece): Piece {
  return sql.join(
    columns.map((column) => write(sql.id(column))),
    by,
  );
}
