import { machineFor } from '../../config/models/find-models.ts';
import { reportModels } from '../../config/models/report.ts';
import { AgentError } from '../../core/error.ts';
import type { RunEvent } from '../../core/event.ts';
import { framesOf } from '../../views/run-node.ts';
import { foldRun } from '../../views/run-tree.ts';
import type { Invocation } from '../command.ts';
import { modelSources } from '../model-flags.ts';

/** Why a run is not to be taken up here: a call is open in it that asks models, and without one it would fail and be over. What was said to it is kept. */
export async function missingModel(
  invocation: Invocation,
  events: readonly RunEvent[],
  isSaid: boolean,
): Promise<AgentError | undefined> {
  const tree = foldRun(events);
  const asks = [...framesOf(tree)].find(({ modelSteps, endedAt }) => modelSteps > 0 && endedAt === undefined);
  if (asks === undefined || (await hasModel(invocation))) return undefined;
  const kept = isSaid ? 'Your answer is kept. ' : '';
  const again = invocation.flags.offline === true ? ' --no-offline' : '';
  return new AgentError(
    'model.unavailable',
    `"${asks.skill}" goes on with a model, and there is none here.`,
    {
      hint: `${kept}\`skilled models\` shows what to set. Then run \`skilled resume ${tree.runId}${again}\`.`,
      details: { configured: false },
    },
  );
}

/** Whether a model is there that could be asked, as far as that is known without asking it. */
async function hasModel(invocation: Invocation): Promise<boolean> {
  const { cwd, safe } = invocation.flags;
  const { offline, uses, faults } = await reportModels(
    modelSources(invocation),
    machineFor(safe ? undefined : cwd),
  );
  return !offline && new Set(uses.flatMap(({ models }) => models)).size > faults.length;
}
