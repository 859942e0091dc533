import { AgentError, type Database } from '../../../core/index.ts';
import type { Table } from '../table.ts';
import { lockSchema } from './lock-schema.ts';
import type { Proposal } from './physical.ts';
import { proposeChanges } from './propose-changes.ts';
import { readSchemaGround } from './schema-ground.ts';
import { keepTableRecord, type TableRecord } from './table-record.ts';

/**
 * Makes an approved change, all of it or nothing, after looking again at what it depends on. Gives `gone` when there is
 * nothing to change any more, as after it was made once.
 */
export async function applyProposal(
  database: Database,
  table: Table,
  { id }: Pick<Proposal, 'id'>,
): Promise<'applied' | 'gone'> {
  return database.write(async (run) => {
    const place = { kind: database.kind, run };
    await lockSchema(place);
    const ground = await readSchemaGround(place, table);
    const plan = (await proposeChanges(ground)).find(({ proposal }) => proposal.id === id);
    if (plan === undefined) return 'gone';
    const { obstacle, text } = plan.proposal;
    if (obstacle !== undefined) throw new AgentError('usage.bad-input', text, { hint: obstacle });
    for (const statement of plan.statements) await run(statement);
    const before: TableRecord = ground.kept?.record ?? {
      ...ground.name,
      ...{ title: table.name, isOwn: false, fields: [], roles: table.roles ?? null },
    };
    await keepTableRecord(place, plan.record(before));
    return 'applied';
  });
}
