import {
  AgentError,
  optional,
  shownSkillName,
  type RunQuery,
  type RunStatus,
  type RunSummary,
} from '../../../core/index.ts';
import { durationText, foldRun, moneyText } from '../../../views/index.ts';
import {
  agoText,
  oneLine,
  paint,
  pasteable,
  printJson,
  runColors,
  runJson,
  table,
  wholeNumber,
  type Cell,
  type Column,
  type CommonFlags,
  type Invocation,
  type Terminal,
} from '../../command-kit.ts';
import { shortIds } from '../../runs/run-id.ts';
import { openReading, describeStore, startHint } from '../../runs/run-store.ts';

/** Lists this project's runs, newest first. Lists nothing if no run was ever stored. */
export async function listRuns(invocation: Invocation): Promise<number> {
  const { flags, own, terminal } = invocation;
  const query = queryOf(own);
  await using agent = openReading(invocation);
  const found = (await agent?.runs.list(query)) ?? [];
  if (flags.json) printJson(terminal, { ok: true, runs: found.map(runJson) });
  else if (found.length > 0) terminal.out(tableOf(found, await costsOf(agent, found), terminal));
  else if (!flags.quiet) terminal.err(`${pasteable(nothing(flags, query), terminal)}\n`);
  return 0;
}

/** Returns what each run cost, by its id. Runs without a known cost are omitted. */
async function costsOf(
  agent: ReturnType<typeof openReading>,
  found: readonly RunSummary[],
): Promise<ReadonlyMap<string, number>> {
  const costs = await Promise.all(
    found.map(async ({ id }) => [id, foldRun((await agent?.runs.events(id)) ?? []).totalUsage.cost] as const),
  );
  return new Map(costs.flatMap(([id, cost]) => (cost === undefined ? [] : [[id, cost] as const])));
}

const usual = 20;

function queryOf(own: Invocation['own']): RunQuery {
  const { session, status } = own;
  return {
    limit: wholeNumber(own, 'limit', 1) ?? usual,
    preparations: own['all'] === true,
    ...optional('session', typeof session === 'string' ? session : undefined),
    ...optional('status', typeof status === 'string' ? status.split(',').map(statusOf) : undefined),
  };
}

function statusOf(text: string): RunStatus {
  const status = text.trim();
  if (Object.hasOwn(runColors, status)) return status as RunStatus;
  throw new AgentError('usage.bad-input', `"${status}" is not a run status.`, {
    hint: `Use one of ${Object.keys(runColors).join(', ')}.`,
  });
}

function nothing(flags: CommonFlags, { session, status }: RunQuery): string {
  const isFiltered = session !== undefined || status !== undefined;
  const store = describeStore(flags);
  return isFiltered ? `No matching runs in ${store}.` : `There are no runs in ${store} yet. ${startHint}`;
}

const columns: readonly Column[] = [
  { title: 'RUN', isWhole: true },
  { title: 'STATUS', isWhole: true },
  { title: 'SKILL', most: 30 },
  { title: 'STARTED', isWhole: true, dropOrder: 3 },
  { title: 'TOOK', isWhole: true, dropOrder: 2 },
  { title: 'COST', isWhole: true, dropOrder: 4 },
  { title: 'INPUT', dropOrder: 1 },
];

/** Formats runs as a table. In a pipe, lines are not truncated, so the ids are complete. */
function tableOf(
  found: readonly RunSummary[],
  costs: ReadonlyMap<string, number>,
  terminal: Terminal,
): string {
  const now = Date.now();
  const ids = found.map(({ id }) => id);
  const shown = terminal.width === undefined ? ids : shortIds(ids);
  const rows = found.map((run, index): readonly Cell[] => [
    { text: shown[index] ?? run.id },
    { text: run.status, paint: (text) => paint(text, runColors[run.status], terminal) },
    { text: oneLine(run.prepares === undefined ? shownSkillName(run.skill) : `${run.prepares} (prepares)`) },
    { text: agoText(now - run.startedAt) },
    { text: durationText((run.status === 'running' ? now : run.updatedAt) - run.startedAt) },
    { text: costText(costs.get(run.id)) },
    { text: run.title === 'null' ? '' : oneLine(run.title) },
  ]);
  return table(columns, rows, terminal);
}

function costText(cost: number | undefined): string {
  return cost === undefined || cost === 0 ? '' : moneyText(cost);
}
