import { hashOf } from '../../../core/canonical.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Output } from '../../../core/output.ts';
import { readImport, type ReadImport } from '../transfer/import-records.ts';
import { askNext } from './ask-next.ts';
import type { Ground } from '../ground.ts';
import { nextTalk } from './next-talk.ts';
import { planDraft, type Plan } from './plan-draft.ts';
import { preview } from './preview.ts';
import type { ShownPlan } from './shown-plan.ts';
import type { Draft, Talk } from './talk.ts';
import { talkOutput } from './talk-output.ts';
import { writePlan, type KeptWrite } from './write-plan.ts';

const mostTurns = 100;
const mostFaults = 20;

/** Talks about a change until it is made or dropped. Every decision on the way is kept, so that a later process goes the same way. */
export async function holdTalk(ground: Ground, draft: Draft): Promise<Output> {
  const file =
    draft.operation === 'import'
      ? await readImport(draft, ground.table, ground.scope, ground.clock)
      : undefined;
  let talk: Talk = { phase: 'plan', draft };
  let plan: Plan | undefined;
  let shown: ShownPlan | undefined;
  let written: KeptWrite | undefined;
  for (let turn = 1; turn <= mostTurns; turn++) {
    switch (talk.phase) {
      case 'plan': {
        plan = await planDraft(ground, talk.draft, file);
        shown = await keepPlan(ground, `plan:${turn}`, talk.draft, plan, file);
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

async function keepPlan(
  ground: Ground,
  key: string,
  draft: Draft,
  plan: Plan,
  file: ReadImport | undefined,
): Promise<ShownPlan> {
  const { found, missing, faults, isUnchanged, changes, leftOut = 0 } = plan;
  const isReady = changes.length > 0 && missing.length === 0 && faults.length === 0;
  const text = isReady && ground.ways.confirms ? await preview(ground, draft, plan, file) : '';
  const kept: ShownPlan = {
    found,
    missing,
    faults: faults.slice(0, mostFaults),
    faultCount: faults.length,
    isUnchanged,
    leftOut,
    digest: digestOf(plan),
    text,
  };
  return (await ground.scope.step(key, () => kept as unknown as JsonObject)) as unknown as ShownPlan;
}

/** The same for the same changes to the same records. */
function digestOf({ changes, last }: Plan): string {
  return hashOf([last?.stepId ?? null, ...changes.map(hashOf)]); // all of them may be too long for one text
}
