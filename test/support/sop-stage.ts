import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { sopOutput } from '../../src/engines/sop/session/session.ts';
import type { SopRequest, SopSessionEnd } from '../../src/engines/sop/session/session.ts';
import { runSopSession } from '../../src/engines/sop/session/run-session.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, type TestSkill, type Run } from './kernel.ts';

/** An agent whose skill `planner` holds a session. */
export interface SopStage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  /** How sessions ended, in order. */
  readonly ends: readonly SopSessionEnd[];
}

/** What is unusual about a stage. */
export interface SopStageOptions extends Partial<SopRequest> {
  readonly options?: AgentOptions;
}

/** A stage for a model that answers with these plans, and for these skills. */
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

/** A skill that holds a session with its input as the prompt. */
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
