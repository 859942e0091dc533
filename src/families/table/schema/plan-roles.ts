import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { isWider, mergeRoles, rolesInWords, type Roles } from './role-width.ts';
import type { SchemaGround } from './schema-ground.ts';

/** A policy that lets in more than was approved blocks; one that lets in fewer may become the approved one. Pure. */
export function planRoles({ table, kept }: SchemaGround): readonly ProposalPlan[] {
  if (kept === undefined) return [];
  const approved: Roles = kept.record.roles;
  const said: Roles = table.roles ?? null;
  const words = `${rolesInWords(approved)}; in the file ${rolesInWords(said)}`;
  if (isWider(said, approved)) {
    const roles = mergeRoles(approved, said);
    return [
      buildProposalPlan(table, {
        ...{ kind: 'wider-roles', about: [said], isBlocking: true },
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
      ...{ kind: 'narrower-roles', about: [said], isBlocking: false },
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
