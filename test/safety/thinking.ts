import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineFamily, type Family } from '../../src/core/family.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { Output } from '../../src/core/output.ts';
import type { RunResult } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import { loopOutput } from '../../src/engines/loop/end.ts';
import { runLoop } from '../../src/engines/loop.ts';
import { agentSkill } from '../../src/families/agent-skill/index.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { createScriptedModel, type Script } from '../../src/models/scripted.ts';

/** The families, with Agent Skills whose model may call whatever they may. */
export const thinkingFamilies: readonly Family[] = builtinFamilies.map((family) =>
  family === agentSkill ? defineFamily({ ...agentSkill, execute: think }) : family,
);

async function think(_definition: unknown, _input: unknown, scope: Scope): Promise<Output> {
  return loopOutput(
    await runLoop(scope, { prompt: 'Do what the skill says.', maxSteps: 1_000, maxErrors: 1_000 }),
  );
}

/** Options of an agent whose model does what a script says. */
export function thinkingWith(script: Script): AgentOptions {
  return { families: thinkingFamilies, models: createScriptedModel(script) };
}

/** What a run came to, with all that was recorded of it. */
export interface Told {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** The names of the skills that were really called, in order. */
  readonly called: readonly string[];
}

/** Runs a skill until it ends or waits. */
export async function tell(
  agent: RecursiveSkilledAgent,
  request: Parameters<RecursiveSkilledAgent['run']>[0],
): Promise<Told> {
  const result = await agent.run(request).result;
  const events = await agent.runs.events(result.runId);
  const called = events.flatMap((event) => (event.type === 'frame.started' ? [event.skill] : []));
  return { result, events, called };
}
