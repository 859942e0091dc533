import { AgentError, type Database, type Json, type Output, type Scope } from '../../../core/index.ts';
import { plainReply } from '../../../engines/phrases/replies.ts';
import { mayAccess } from '../access.ts';
import { buildTable } from '../build-table.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import type { Table } from '../table.ts';
import { lockSchema, openSchema } from './open-schema.ts';
import { proposeChanges, type Proposal } from './proposals.ts';
import { readSchemaContext } from './schema-context.ts';
import { saveTableRecord, type TableRecord } from './table-record.ts';

type Offered = Proposal & { readonly isBlocking: boolean };
type Outcome = 'made' | 'left' | 'not possible';
type Done = Extract<Output, { readonly status: 'done' }>;

const labels = { made: 'Done', left: 'Left unchanged', 'not possible': 'Not possible' } as const;

/**
 * Asks the user to approve each change that a table needs, and applies the approved changes. Throws if a
 * required change is not possible.
 */
export async function buildSchema(definition: TableDefinition, scope: Scope): Promise<Done> {
  const table = buildTable(definition);
  const database = await scope.resources.database(definition.settings?.database);
  /** Returns the changes to approve. They stay the same if the build is retried. */
  const offer = async (round: number): Promise<readonly Offered[]> => {
    const read = async (): Promise<readonly Offered[]> => {
      const { blocked, proposed } = await openSchema(database, table);
      const offered = (isBlocking: boolean) => (each: Proposal) => ({ ...each, isBlocking });
      return [...blocked.map(offered(true)), ...proposed.map(offered(false))];
    };
    const recorded = await scope.step(`look ${round}`, async () => (await read()) as unknown as Json);
    return recorded as unknown as readonly Offered[];
  };

  const done: { readonly proposal: Offered; readonly outcome: Outcome }[] = [];
  let round = 1;
  let open = await offer(round);
  for (;;) {
    const proposal = open.find(({ id }) => done.every((one) => one.proposal.id !== id));
    if (proposal === undefined) break;
    const outcome = await decide(proposal, scope);
    done.push({ proposal, outcome });
    if (outcome !== 'made') continue;
    await scope.step(`apply ${proposal.id}`, () => applyProposal(database, table, proposal));
    open = await offer(++round);
  }

  const impossible = done.filter(
    ({ proposal, outcome }) => proposal.isBlocking && outcome === 'not possible',
  );
  if (impossible.length > 0) {
    const message = impossible.map(({ proposal }) => proposal.text).join(' ');
    const hint = impossible.map(({ proposal }) => proposal.obstacle ?? '').join(' ');
    throw new AgentError('skill.unavailable', message, { hint });
  }
  const texts = done.map(({ proposal, outcome }) => `${labels[outcome]}: ${proposal.text}`);
  return {
    status: 'done',
    text: texts.length === 0 ? 'The table matches its file.' : texts.join(' '),
    value: done.map(({ proposal, outcome }) => ({ id: proposal.id, outcome })),
  };
}

/** Asks whether to make a change, unless it is not possible. Throws if the user may not approve it. */
async function decide({ approvers, text, obstacle, ...proposal }: Offered, scope: Scope): Promise<Outcome> {
  if (approvers !== undefined && !mayAccess({ read: [], write: approvers }, scope.run.roles, 'write')) {
    throw new AgentError('policy.denied', `You are not allowed to approve this. ${text}`, {
      hint: `This needs one of these roles: ${approvers.join(', ')}.`,
    });
  }
  if (obstacle !== undefined) {
    scope.note(`${text} ${obstacle}`, { level: 'warning' });
    return 'not possible';
  }
  return (await isApproved(scope, { text, ...proposal })) ? 'made' : 'left';
}

const maxStatements = 12;
const renamed =
  'If that field was renamed, say no, and add "#### Column" with the old name below its new heading.';

async function isApproved(
  scope: Scope,
  { kind, text, sql, losesData }: Pick<Proposal, 'kind' | 'text' | 'sql' | 'losesData'>,
): Promise<boolean> {
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
  return typeof answer === 'string' && plainReply(answer) === 'yes';
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
