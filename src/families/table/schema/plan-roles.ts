import type { Ground } from './ground.ts';
import type { Plan } from './plan.ts';
import { planId } from './plan.ts';
import { isWider, mergeRoles, rolesInWords, type Roles } from './role-width.ts';

/** A policy that lets in more than was approved blocks; one that lets in fewer may become the approved one. Pure. */
export function planRoles({ table, kept }: Ground): readonly Plan[] {
  if (kept === undefined) return [];
  const approved: Roles = kept.record.roles;
  const said: Roles = table.roles ?? null;
  const plain = { sql: [], values: 0, unfit: [], losesData: false };
  const words = `${rolesInWords(approved)}; in the file ${rolesInWords(said)}`;
  if (isWider(said, approved)) {
    const text = `The role policy of "${table.name}" opens more than was approved. Approved: ${words}.`;
    const approvers = approversOf(approved);
    const proposal = {
      id: planId('wider-roles', table.name, said),
      kind: 'wider-roles',
      text,
      ...plain,
      ...(approvers.length === 0 ? {} : { approvers }),
    } as const;
    return [planOf(proposal, true, mergeRoles(approved, said))];
  }
  if (!isWider(approved, said)) return [];
  const text = `The role policy of "${table.name}" opens less than was approved. Approved: ${words}.`;
  const proposal = {
    id: planId('narrower-roles', table.name, said),
    kind: 'narrower-roles',
    text,
    ...plain,
  } as const;
  return [planOf(proposal, false, mergeRoles(said, { read: [], write: [] }))];
}

/** Nobody lets in themselves: it takes one whom the approved policy trusts most. */
function approversOf(approved: Roles): readonly string[] {
  if (approved === null) return [];
  return approved.write.length > 0 ? approved.write : approved.read;
}

function planOf(proposal: Plan['proposal'], isBlocking: boolean, roles: Roles): Plan {
  return {
    ...{ proposal, isBlocking },
    apply: () => Promise.resolve(),
    record: (before) => ({ ...before, roles }),
  };
}
