import { hashOf, isAgentError, type AgentError, type JsonObject, type Output } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';
import { readImport, type ReadImport } from '../transfer/import-records.ts';
import { askNext } from './ask-next.ts';
import { nextTalk } from './next-talk.ts';
import { planDraft } from './plan-draft.ts';
import { noPlan, type ChangePlan } from './plan.ts';
import { preview } from './preview.ts';
import type { ShownPlan } from './shown-plan.ts';
import { talkOutput } from './talk-output.ts';
import type { RequestDraft, Talk } from './talk.ts';
import { writePlan, type KeptWrite } from './write-plan.ts';

const mostTurns = 100;
const mostFaults = 20;

/** Talks about a change until it is made or dropped. Every decision on the way is kept, so that a later process goes the same way. */
export async function holdTalk(ground: Ground, draft: RequestDraft): Promise<Output> {
  const file = await tried(ground, async () =>
    draft.operation === 'import' ? readImport(draft, ground.table, ground.scope, ground.clock) : undefined,
  );
  let talk: Talk = { phase: 'plan', draft };
  let plan: ChangePlan | undefined;
  let shown: ShownPlan | undefined;
  let written: KeptWrite | undefined;
  for (let turn = 1; turn <= mostTurns; turn++) {
    switch (talk.phase) {
      case 'plan': {
        const { draft: meant } = talk;
        const planned =
          'failure' in file ? file : await tried(ground, () => planDraft(ground, meant, file.value));
        plan = 'failure' in planned ? noPlan : planned.value;
        const source = 'failure' in file ? undefined : file.value;
        const now = 'failure' in planned ? planned : { value: await showPlan(ground, meant, plan, source) };
        shown = await keepPlan(ground, `plan:${turn}`, now);
        talk = nextTalk(talk, { happened: 'planned', ...shown }, ground.ways);
        break;
      }
      case 'write': {
        if (plan === undefined || shown === undefined) break;
        written = await writePlan(ground, `write:${turn}`, plan, digestOf(plan) === shown.digest);
        if (written.outcome === 'refused') shown = { ...shown, faultCount: written.faultCount };
        talk = nextTalk(talk, { happened: 'written', ...written }, ground.ways);
        break;
      }
      case 'done':
      case 'ended':
        return talkOutput(ground, talk, { plan, shown, written });
      default:
        talk = nextTalk(
          talk,
          { happened: 'answered', reply: await askNext(ground, talk, shown, turn) },
          ground.ways,
        );
    }
  }
  return talkOutput(ground, { phase: 'ended', draft, why: 'given-up', faults: [] }, {});
}

type Tried<Value> = { readonly value: Value } | { readonly failure: AgentError };

/** A failure as data. It counts only where no plan was kept before a crash: that one may have been carried out. */
async function tried<Value>({ scope }: Ground, work: () => Promise<Value>): Promise<Tried<Value>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    if (!isAgentError(thrown) || scope.signal.aborted) throw thrown;
    return { failure: thrown };
  }
}

async function keepPlan({ scope }: Ground, key: string, now: Tried<ShownPlan>): Promise<ShownPlan> {
  const kept = await scope.step(key, () => {
    if ('failure' in now) throw now.failure;
    return now.value as unknown as JsonObject;
  });
  return kept as unknown as ShownPlan;
}

async function showPlan(
  ground: Ground,
  draft: RequestDraft,
  plan: ChangePlan,
  file: ReadImport | undefined,
): Promise<ShownPlan> {
  const { found, missing, faults, isUnchanged, changes, leftOut = 0 } = plan;
  const isReady = changes.length > 0 && missing.length === 0 && faults.length === 0;
  const text = isReady && ground.ways.confirms ? await preview(ground, draft, plan, file) : '';
  return {
    found,
    missing,
    faults: faults.slice(0, mostFaults),
    faultCount: faults.length,
    isUnchanged,
    leftOut,
    digest: digestOf(plan),
    text,
  };
}

/** The same for the same changes to the same records. */
function digestOf({ changes, last }: ChangePlan): string {
  return hashOf([last?.stepId ?? null, ...changes.map(hashOf)]); // all of them may be too long for one text
}
