import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { runSopSession } from '../../src/engines/sop/session/run-session.ts';
import { sopOutput, type SopRequest, type SopSessionEnd } from '../../src/engines/sop/session/session.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, type TestSkill, type Run } from './kernel.ts';

/** An agent whose skill `planner` runs a planning session. */
export interface SopStage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  /** The outcomes of the sessions, in the order in which they ended. */
  readonly ends: readonly SopSessionEnd[];
}

/** Overrides for a stage. */
export interface SopStageOptions extends Partial<SopRequest> {
  readonly options?: AgentOptions;
}

/** Creates a stage with these skills and a model that answers with these plans. */
export function sopStage(
  plans: Script,
  skills: Readonly<Record<string, TestSkill>> = {},
  more: SopStageOptions = {},
): SopStage {
  const { options = {}, ...request } = more;
  const model = createScriptedModel(plans);
  const ends: SopSessionEnd[] = [];
  const planner = sopPlanner(Object.keys(skills), request, (end) => ends.push(end));
  const agent = agentWith({ ...skills, planner }, { models: { plan: model }, ...options });
  return { agent, model, ends, [Symbol.asyncDispose]: () => agent.shutdown() };
}

/** Returns a skill that runs a planning session with its input as the prompt. */
export function sopPlanner(
  allowedSkills: readonly string[],
  request: Partial<SopRequest> = {},
  onEnd: (end: SopSessionEnd) => void = () => undefined,
): TestSkill {
  const run: Run = async (input, scope) => {
    const end = await runSopSession(scope, { prompt: typeof input === 'string' ? input : 'Go.', ...request });
    onEnd(end);
    return sopOutput(end);
  };
  return { allowedSkills, run };
}
