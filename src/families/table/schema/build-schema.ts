import { AgentError, type Database, type Json, type Output, type Scope } from '../../../core/index.ts';
import { buildTable } from '../build-table.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { mayAccess } from '../may-access.ts';
import type { Table } from '../table.ts';
import { lockSchema } from './lock-schema.ts';
import { openSchema } from './open-schema.ts';
import type { Proposal } from './physical.ts';
import { proposeChanges } from './propose-changes.ts';
import { readSchemaGround } from './schema-ground.ts';
import { keepTableRecord, type TableRecord } from './table-record.ts';

type Offered = Proposal & { readonly isBlocking: boolean };

/** Asks a person about each change that a table needs, and makes those that are approved; throws when one that must be made cannot be. */
export async function buildSchema(
  definition: TableDefinition,
  scope: Scope,
): Promise<Extract<Output, { readonly status: 'done' }>> {
  const table = buildTable(definition);
  const database = await scope.resources.database(definition.settings?.database);
  const offer = async (): Promise<readonly Offered[]> => {
    const { blocked, proposed } = await openSchema(database, table);
    return [...blocked.map((each) => offered(each, true)), ...proposed.map((each) => offered(each, false))];
  };

  const done = new Map<string, { readonly proposal: Offered; readonly outcome: Outcome }>();
  let round = 1;
  let open = await readOffer(scope, round, offer);
  for (;;) {
    const proposal = open.find(({ id }) => !done.has(id));
    if (proposal === undefined) break;
    mustBeApprover(proposal, scope);
    if (proposal.obstacle !== undefined)
      scope.note(`${proposal.text} ${proposal.obstacle}`, { level: 'warning' });
    const isWanted = proposal.obstacle === undefined && (await isApproved(scope, proposal));
    if (isWanted) await scope.step(`apply ${proposal.id}`, () => applyProposal(database, table, proposal));
    const outcome = isWanted ? 'made' : proposal.obstacle === undefined ? 'left' : 'not possible';
    done.set(proposal.id, { proposal, outcome });
    if (isWanted) open = await readOffer(scope, ++round, offer);
  }
  return conclude([...done.values()]);
}

function mustBeApprover({ approvers, text }: Offered, { run: { roles } }: Scope): void {
  if (approvers === undefined || mayAccess({ read: [], write: approvers, notes: [] }, roles, 'write')) return;
  throw new AgentError('policy.denied', `You may not approve this. ${text}`, {
    hint: `It takes one of these roles: ${approvers.join(', ')}.`,
  });
}

type Outcome = 'made' | 'left' | 'not possible';

function offered(proposal: Proposal, isBlocking: boolean): Offered {
  return { ...proposal, isBlocking };
}

/** What there is to approve; the same when the build is tried again. */
async function readOffer(
  scope: Scope,
  round: number,
  offer: () => Promise<readonly Offered[]>,
): Promise<readonly Offered[]> {
  const read = await scope.step(`look ${round}`, async () => (await offer()) as unknown as Json);
  return read as unknown as readonly Offered[];
}

const mostStatements = 12;
const renamed =
  'If that field has another name now, say no, and write "#### Column" with the old name below it.';

async function isApproved(scope: Scope, { kind, text, sql, losesData }: Offered): Promise<boolean> {
  const shown = sql.slice(0, mostStatements).map((statement) => `  ${statement.replace(/\s+/g, ' ').trim()}`);
  const more = sql.length - shown.length;
  const lines = [
    text,
    ...(sql.length === 0 ? [] : ['What would run:', ...shown]),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(kind === 'drop' && losesData ? [renamed] : []),
    `${losesData ? 'The values are lost for good. ' : ''}Shall it be done?`,
  ];
  const answer = await scope.ask({ text: lines.join('\n'), options: ['yes', 'no'] });
  return typeof answer === 'string' && /^\s*y(?:es)?\s*$/i.test(answer);
}

function conclude(
  all: readonly { readonly proposal: Offered; readonly outcome: Outcome }[],
): Extract<Output, { readonly status: 'done' }> {
  const impossible = all.filter(({ proposal, outcome }) => proposal.isBlocking && outcome === 'not possible');
  if (impossible.length > 0) {
    const message = impossible.map(({ proposal }) => proposal.text).join(' ');
    const hint = impossible.map(({ proposal }) => proposal.obstacle ?? '').join(' ');
    throw new AgentError('skill.unavailable', message, { hint });
  }
  const words = { made: 'Done', left: 'Left as it is', 'not possible': 'Not possible' } as const;
  const text =
    all.length === 0
      ? 'The table is as its file says.'
      : all.map(({ proposal, outcome }) => `${words[outcome]}: ${proposal.text}`).join(' ');
  return { status: 'done', text, value: all.map(({ proposal, outcome }) => ({ id: proposal.id, outcome })) };
}

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
      title: table.name,
      isOwn: false,
      fields: [],
      roles: table.roles ?? null,
    };
    await keepTableRecord(place, plan.record(before));
    return 'applied';
  });
}
