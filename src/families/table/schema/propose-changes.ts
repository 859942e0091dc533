import { compilePiece } from '../sql/run-piece.ts';
import type { AssignedColumn } from './assign-columns.ts';
import { isUnique } from './inspect/is-unique.ts';
import { planDrops } from './plan-drops.ts';
import { planKey } from './plan-key.ts';
import { planTypes } from './plan-types.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { readDoubles } from './read-doubles.ts';
import { isWider, mergeRoles, rolesInWords, type Roles } from './statements/role-width.ts';
import type { SchemaGround } from './schema-ground.ts';
import { createIndex } from './statements/table-statements.ts';

/**
 * All that would have to be approved, what blocks first. Where the role policy lets in more than was approved, that alone:
 * what else there is would tell of the records.
 */
export async function proposeChanges(ground: SchemaGround): Promise<readonly ProposalPlan[]> {
  const roles = planRoles(ground);
  if (roles.some(({ isBlocking }) => isBlocking)) return roles;
  const plans = [
    ...roles,
    ...planMissing(ground),
    ...(await planKey(ground)),
    ...(await planTypes(ground)),
    ...(await planUniques(ground)),
    ...(await planDrops(ground)),
  ];
  return plans.toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
}

/** Fields for which a view has no column: nothing can be added to it. Pure. */
function planMissing({ table, existing, columns }: SchemaGround): readonly ProposalPlan[] {
  if (existing?.isView !== true) return [];
  const missing = columns.filter((column) => column.existing === undefined);
  return missing.map(({ field }) =>
    buildProposalPlan(table, {
      kind: 'missing',
      about: [field.name],
      isBlocking: true,
      text: `The view "${existing.table}" has no column for the field "${field.name}".`,
      obstacle: 'Add the column to the view, or take the field out of the file.',
    }),
  );
}

/** A policy that lets in more than was approved blocks; one that lets in fewer may become the approved one. Pure. */
function planRoles({ table, kept }: SchemaGround): readonly ProposalPlan[] {
  if (kept === undefined) return [];
  const approved: Roles = kept.record.roles;
  const said: Roles = table.roles ?? null;
  const words = `${rolesInWords(approved)}; in the file ${rolesInWords(said)}`;
  if (isWider(said, approved)) {
    const roles = mergeRoles(approved, said);
    return [
      buildProposalPlan(table, {
        kind: 'wider-roles',
        about: [said],
        isBlocking: true,
        text: `The role policy of "${table.name}" opens more than was approved. Approved: ${words}.`,
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
      text: `The role policy of "${table.name}" opens less than was approved. Approved: ${words}.`,
      record: (before) => ({ ...before, roles }),
    }),
  ];
}

/** Nobody lets in themselves: it takes one whom the approved policy trusts most. */
function approversOf(approved: Roles): readonly string[] | undefined {
  const { read = [], write = [] } = approved ?? {};
  return [write, read].find((names) => names.length > 0);
}

/** Fields that are unique from now on, although records have the same value in them. */
async function planUniques(ground: SchemaGround): Promise<readonly ProposalPlan[]> {
  const { existing, columns } = ground;
  if (existing === undefined || existing.isView) return [];
  const wanted = columns.filter(
    ({ field, name, existing: column }) =>
      column !== undefined && field.unique === true && field.key === undefined && !isUnique(existing, [name]),
  );
  const plans: ProposalPlan[] = [];
  for (const column of wanted) plans.push(...(await planUnique(ground, column)));
  return plans;
}

async function planUnique(
  { place, name, table }: SchemaGround,
  column: AssignedColumn,
): Promise<readonly ProposalPlan[]> {
  const { total, some } = await readDoubles(place, name, [column.name]);
  if (total === 0) return [];
  const { field } = column;
  return [
    buildProposalPlan(table, {
      kind: 'unique',
      about: [field.name],
      isBlocking: true,
      text: `"${field.name}" is unique in the file, but several records have the same value: ${some.join(', ')}.`,
      statements: [compilePiece(place, createIndex(place.kind, name, column.name, 'unique', false))],
      obstacle: 'Give these records values of their own first, or take "Unique" out of the file.',
    }),
  ];
}
