import { hashOf, isAgentError, type AgentError, type JsonObject, type Output } from '../../../core/index.ts';
import type { TableContext } from '../table-context.ts';
import { readImport, type ReadImport } from '../transfer/import-records.ts';
import { noPlan, planDraft, writePlan, type ChangePlan, type WriteSummary } from './plan.ts';
import { askNext, preview } from './questions.ts';
import { talkOutput } from './talk-output.ts';
import { nextTalk, type RequestDraft, type ShownPlan, type Talk } from './talk.ts';

const maxTurns = 100;
const maxFaults = 20;

/**
 * Runs the conversation about a change until the change is made or abandoned. Every decision is recorded, so
 * that a later process can replay it.
 */
export async function holdTalk(context: TableContext, draft: RequestDraft): Promise<Output> {
  const { table, scope, clock, ways } = context;
  const file = await tried(context, async () =>
    draft.operation === 'import' ? readImport(draft, table, scope, clock) : undefined,
  );
  let talk: Talk = { phase: 'plan', draft };
  let plan: ChangePlan | undefined;
  let shown: ShownPlan | undefined;
  let written: WriteSummary | undefined;
  for (let turn = 1; turn <= maxTurns; turn++) {
    if (talk.phase === 'plan') {
      const { draft: meant } = talk;
      const planned =
        'failure' in file ? file : await tried(context, () => planDraft(context, meant, file.value));
      plan = 'failure' in planned ? noPlan : planned.value;
      const source = 'failure' in file ? undefined : file.value;
      const now = 'failure' in planned ? planned : { value: await showPlan(context, meant, plan, source) };
      shown = (await scope.step(`plan:${turn}`, () => {
        if ('failure' in now) throw now.failure;
        return now.value as unknown as JsonObject;
      })) as unknown as ShownPlan;
      talk = nextTalk(talk, { happened: 'planned', ...shown }, ways);
    } else if (talk.phase === 'write') {
      if (plan === undefined || shown === undefined) break;
      written = await writePlan(context, `write:${turn}`, plan, digestOf(plan) === shown.digest);
      if (written.outcome === 'refused') shown = { ...shown, faultCount: written.faultCount };
      talk = nextTalk(talk, { happened: 'written', ...written }, ways);
    } else if (talk.phase === 'done' || talk.phase === 'ended') {
      return talkOutput(context, talk, { plan, shown, written });
    } else {
      const reply = await askNext(context, talk, shown, turn);
      talk = nextTalk(talk, { happened: 'answered', reply }, ways);
    }
  }
  return talkOutput(context, { phase: 'ended', draft, why: 'given-up', faults: [] }, {});
}

type Tried<Value> = { readonly value: Value } | { readonly failure: AgentError };

/**
 * Calls `work` and returns its value, or its failure as data. A failure is ignored if a plan was recorded
 * before a crash, because that plan may already have been carried out.
 */
async function tried<Value>({ scope }: TableContext, work: () => Promise<Value>): Promise<Tried<Value>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    if (!isAgentError(thrown) || scope.signal.aborted) throw thrown;
    return { failure: thrown };
  }
}

async function showPlan(
  context: TableContext,
  draft: RequestDraft,
  plan: ChangePlan,
  file: ReadImport | undefined,
): Promise<ShownPlan> {
  const { found, missing, faults, isUnchanged, changes, leftOut = 0 } = plan;
  const isReady = changes.length > 0 && missing.length === 0 && faults.length === 0;
  return {
    found,
    missing,
    faults: faults.slice(0, maxFaults),
    faultCount: faults.length,
    isUnchanged,
    leftOut,
    digest: digestOf(plan),
    text: isReady && context.ways.confirms ? await preview(context, draft, plan, file) : '',
  };
}

/** Returns a digest that identifies a plan by its changes and the records they affect. */
function digestOf({ changes, last }: ChangePlan): string {
  // Hash each change separately, because together they can exceed the maximum string length.
  return hashOf([last?.stepId ?? null, ...changes.map(hashOf)]);
}
