import { compilePiece } from '../sql.ts';
import type { AssignedColumn } from './assign-columns.ts';
import { isUnique } from './inspect/is-unique.ts';
import { planDrops } from './plan-drops.ts';
import { planKey } from './plan-key.ts';
import { planTypes } from './plan-types.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { readDoubles } from './read-doubles.ts';
import { isWider, mergeRoles, showRoles, type Roles } from './statements/role-width.ts';
import type { SchemaContext } from './schema-context.ts';
import { createIndex } from './statements/table-statements.ts';

/**
 * Returns all changes that need approval, blocking ones first. If the role policy grants more access than was
 * approved, returns only the policy change, because the other changes would reveal data.
 */
export async function proposeChanges(context: SchemaContext): Promise<readonly ProposalPlan[]> {
  const roles = planRoles(context);
  if (roles.some(({ isBlocking }) => isBlocking)) return roles;
  const plans = [
    ...roles,
    ...planMissing(context),
    ...(await planKey(context)),
    ...(await planTypes(context)),
    ...(await planUniques(context)),
    ...(await planDrops(context)),
  ];
  return plans.toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
}

/** Reports fields without a column in a view, because columns cannot be added to a view. Pure. */
function planMissing({ table, existing, columns }: SchemaContext): readonly ProposalPlan[] {
  if (existing?.isView !== true) return [];
  const missing = columns.filter((column) => column.existing === undefined);
  return missing.map(({ field }) =>
    buildProposalPlan(table, {
      kind: 'missing',
      about: [field.name],
      isBlocking: true,
      text: `The view "${existing.table}" has no column for the field "${field.name}".`,
      obstacle: 'Add the column to the view, or remove the field from the file.',
    }),
  );
}

/**
 * Proposes role policy changes. If the policy in the file grants more access than was approved, the table is
 * unusable until this policy is approved. A policy that grants less access is proposed as the new approved
 * policy. Pure.
 */
function planRoles({ table, stored }: SchemaContext): readonly ProposalPlan[] {
  if (stored === undefined) return [];
  const approved: Roles = stored.record.roles;
  const said: Roles = table.roles ?? null;
  const comparison = `${showRoles(approved)}; in the file ${showRoles(said)}`;
  if (isWider(said, approved)) {
    const roles = mergeRoles(approved, said);
    return [
      buildProposalPlan(table, {
        kind: 'wider-roles',
        about: [said],
        isBlocking: true,
        text: `The role policy of "${table.name}" grants more than was approved. Approved: ${comparison}.`,
        approvers: approversOf(approved),
        record: (before) => ({ ...before, roles }),
      }),
    ];
  }
  if (!isWider(approved, said)) return [];
  const roles = mergeRoles(said, { read: [], write: [] });
  return [
    buildProposalPlan(table, {
      kind: 'narrower-roles',
      about: [said],
      isBlocking: false,
      text: `The role policy of "${table.name}" grants less than was approved. Approved: ${comparison}.`,
      record: (before) => ({ ...before, roles }),
    }),
  ];
}

/**
 * Returns the roles that can approve wider access. These are the most trusted roles of the approved policy,
 * so that users cannot grant access to themselves.
 */
function approversOf(approved: Roles): readonly string[] | undefined {
  const { read = [], write = [] } = approved ?? {};
  return [write, read].find((names) => names.length > 0);
}

/** Reports fields that are newly declared unique although several records have the same value. */
async function planUniques(context: SchemaContext): Promise<readonly ProposalPlan[]> {
  const { existing, columns } = context;
  if (existing === undefined || existing.isView) return [];
  const uniqueColumns = columns.filter(
    ({ field, name, existing: column }) =>
      column !== undefined && field.unique === true && field.key === undefined && !isUnique(existing, [name]),
  );
  const plans: ProposalPlan[] = [];
  for (const column of uniqueColumns) plans.push(...(await planUnique(context, column)));
  return plans;
}

async function planUnique(
  { executor, name, table }: SchemaContext,
  column: AssignedColumn,
): Promise<readonly ProposalPlan[]> {
  const { total, some } = await readDoubles(executor, name, [column.name]);
  if (total === 0) return [];
  const { field } = column;
  return [
    buildProposalPlan(table, {
      kind: 'unique',
      about: [field.name],
      isBlocking: true,
      text: `"${field.name}" is unique in the file, but several records have the same value: ${some.join(', ')}.`,
      statements: [compilePiece(executor, createIndex(executor.kind, name, column.name, 'unique', false))],
      obstacle: 'Give these records different values first, or remove "Unique" from the file.',
    }),
  ];
}
