import { AgentError, type Database, type Json, type Output, type Scope } from '../../../core/index.ts';
import { buildTable } from '../build-table.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { mayAccess } from '../access.ts';
import type { Table } from '../table.ts';
import { lockSchema, openSchema } from './open-schema.ts';
import { proposeChanges, type Proposal } from './proposals.ts';
import { readSchemaContext } from './schema-context.ts';
import { saveTableRecord, type TableRecord } from './table-record.ts';

type Offered = Proposal & { readonly isBlocking: boolean };

/**
 * Asks the user to approve each change that a table needs, and applies the approved changes. Throws if a
 * required change is not possible.
 */
export async function buildSchema(
  definition: TableDefinition,
  scope: Scope,
): Promise<Extract<Output, { readonly status: 'done' }>> {
  const table = buildTable(definition);
  const database = await scope.resources.database(definition.settings?.database);
  const offer = async (): Promise<readonly Offered[]> => {
    const { blocked, proposed } = await openSchema(database, table);
    return [
      ...blocked.map((each) => ({ ...each, isBlocking: true })),
      ...proposed.map((each) => ({ ...each, isBlocking: false })),
    ];
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
    const mayApply = proposal.obstacle === undefined && (await isApproved(scope, proposal));
    if (mayApply) await scope.step(`apply ${proposal.id}`, () => applyProposal(database, table, proposal));
    const outcome = mayApply ? 'made' : proposal.obstacle === undefined ? 'left' : 'not possible';
    done.set(proposal.id, { proposal, outcome });
    if (mayApply) open = await readOffer(scope, ++round, offer);
  }
  return conclude([...done.values()]);
}

type Outcome = 'made' | 'left' | 'not possible';

function mustBeApprover({ approvers, text }: Offered, { run: { roles } }: Scope): void {
  if (approvers === undefined || mayAccess({ read: [], write: approvers }, roles, 'write')) return;
  throw new AgentError('policy.denied', `You are not allowed to approve this. ${text}`, {
    hint: `This needs one of these roles: ${approvers.join(', ')}.`,
  });
}

/** Returns the changes to approve. They stay the same if the build is retried. */
async function readOffer(
  scope: Scope,
  round: number,
  offer: () => Promise<readonly Offered[]>,
): Promise<readonly Offered[]> {
  const read = await scope.step(`look ${round}`, async () => (await offer()) as unknown as Json);
  return read as unknown as readonly Offered[];
}

const maxStatements = 12;
const renamed =
  'If that field was renamed, say no, and add "#### Column" with the old name below its new heading.';

async function isApproved(scope: Scope, { kind, text, sql, losesData }: Offered): Promise<boolean> {
  const shown = sql.slice(0, maxStatements).map((statement) => `  ${statement.replace(/\s+/g, ' ').trim()}`);
  const more = sql.length - shown.length;
  const lines = [
    text,
    ...(sql.length === 0 ? [] : ['Statements:', ...shown]),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(kind === 'drop' && losesData ? [renamed] : []),
    `${losesData ? 'The values will be permanently lost. ' : ''}Do you approve?`,
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
  const labels = { made: 'Done', left: 'Left unchanged', 'not possible': 'Not possible' } as const;
  const text =
    all.length === 0
      ? 'The table matches its file.'
      : all.map(({ proposal, outcome }) => `${labels[outcome]}: ${proposal.text}`).join(' ');
  return { status: 'done', text, value: all.map(({ proposal, outcome }) => ({ id: proposal.id, outcome })) };
}

/**
 * Rechecks the preconditions of an approved change, then applies the change completely or not at all. Returns
 * `gone` if the change is no longer needed, for example because it was already applied.
 */
export async function applyProposal(
  database: Database,
  table: Table,
  { id }: Pick<Proposal, 'id'>,
): Promise<'applied' | 'gone'> {
  return database.write(async (run) => {
    const executor = { kind: database.kind, run };
    await lockSchema(executor);
    const context = await readSchemaContext(executor, table);
    const plan = (await proposeChanges(context)).find(({ proposal }) => proposal.id === id);
    if (plan === undefined) return 'gone';
    const { obstacle, text } = plan.proposal;
    if (obstacle !== undefined) throw new AgentError('usage.bad-input', text, { hint: obstacle });
    for (const statement of plan.statements) await run(statement);
    const before: TableRecord = context.stored?.record ?? {
      ...context.name,
      title: table.name,
      isOwn: false,
      fields: [],
      roles: table.roles ?? null,
    };
    await saveTableRecord(executor, plan.record(before));
    return 'applied';
  });
}
