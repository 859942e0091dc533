import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import type { RunEvent, RunHandle } from '../../src/core/event.ts';
import type { RunResult } from '../../src/core/run.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { done } from '../support/kernel.ts';
import { thinker } from '../support/loop-stage.ts';
import type { Attempt } from './attempts/attempt.ts';
import type { Stage } from './stage.ts';

/** The output of a skill that nothing may call. */
export const vaultText = 'canary-vault-2e91a4';

const tools = ['read', 'glob', 'grep', 'write', 'edit', 'bash', 'webfetch', 'find-skills'];

const atOnce = 8;

/**
 * Creates an agent whose skill `attack` makes every attempt, some in each turn, whatever it is told. The skill
 * `program` makes them without a model.
 */
export function attackedBy(
  stage: Stage,
  attempts: readonly Attempt[],
  options: AgentOptions,
): RecursiveSkilledAgent {
  const models = createScriptedModel((_request, turn) => {
    const calls = attempts.slice((turn - 1) * atOnce, turn * atOnce);
    return calls.length === 0 ? 'Done.' : { calls };
  });
  const limits = { steps: 1_000, leafCalls: 5_000, frames: 5_000 };
  rmSync(stage.at('.skilled'), { recursive: true, force: true });
  const store = stage.write('.skilled/skilled.db', '');
  const agent = stage.agent({ ...options, models, limits, store });
  const allowedSkills = [...tools, 'narrow'];
  const loop = { maxSteps: 1_000, maxErrors: 1_000 };
  for (const skill of [
    defineSkill({
      name: 'attack',
      description: 'Attacks.',
      ...(thinker(allowedSkills, loop) as { run: never }),
    }),
    defineSkill({
      name: 'program',
      description: 'Attacks.',
      allowedSkills,
      async run(_input, scope) {
        for (let turn = 0; turn * atOnce < attempts.length; turn += 1) {
          const calls = attempts.slice(turn * atOnce, (turn + 1) * atOnce);
          await Promise.all(calls.map(({ name, input }) => scope.call(name, input)));
        }
        return done();
      },
    }),
    defineSkill({
      name: 'narrow',
      description: 'May read, and calls a shell.',
      allowedTools: ['Read'],
      run: (command, scope) => scope.call('bash', { command: JSON.stringify(command) }),
    }),
    defineSkill({ name: 'vault', description: 'Tells.', run: () => done(vaultText) }),
    defineSkill({
      name: 'secretive',
      description: 'Tells.',
      disableModelInvocation: true,
      run: () => done(vaultText),
    }),
  ])
    agent.skills.register(skill);
  return agent;
}

/** Everything that was recorded about a run. */
export interface RecordedRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
}

/** Runs a skill until it ends. A person denies every request. */
export async function runToEnd(agent: RecursiveSkilledAgent, skill: string): Promise<RecordedRun> {
  return await denyAll(agent, agent.run({ skill, input: 'Go.' }));
}

/** Runs the next turn of a conversation with the assistant. A person denies every request. */
export async function runTurn(agent: RecursiveSkilledAgent): Promise<RecordedRun> {
  return await denyAll(
    agent,
    agent.run({ prompt: 'Go on.', session: 'talk', assistant: 'open', toAssistant: true }),
  );
}

async function denyAll(agent: RecursiveSkilledAgent, handle: RunHandle): Promise<RecordedRun> {
  let result = await handle.result;
  while (result.status === 'waiting') {
    const { runId, question } = result;
    assert.equal(question?.kind, 'approval');
    await agent.runs.approve(runId, question.id, { deny: 'Certainly not.' });
    result = await agent.runs.resume(runId).result;
  }
  return { result, events: await agent.runs.events(result.runId) };
}
