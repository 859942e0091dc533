import assert from 'node:assert/strict';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { SkillSpec } from '../../src/core/define-skill.ts';
import type { Json } from '../../src/core/json.ts';
import type { Message, ModelRequest, ToolCall } from '../../src/core/model.ts';
import type { Output } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import { loopOutput, type LoopEnd } from '../../src/engines/loop/end.ts';
import { runLoop, type LoopRequest } from '../../src/engines/loop/run-loop.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, type TestSkill, type Run } from './kernel.ts';

/** An agent whose skill `think` runs a model loop. */
export interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  /** The outcomes of the loops, in the order in which they ended. */
  readonly ends: readonly LoopEnd[];
}

/** Overrides for a stage. */
export interface StageOptions extends Partial<LoopRequest> {
  readonly options?: AgentOptions;
  /** The skills that `think` may call. By default, all skills of the stage. */
  readonly allowed?: readonly string[];
}

/** Creates a stage with a scripted model and these skills. */
export function stage(
  script: Script,
  skills: Readonly<Record<string, TestSkill>> = {},
  more: StageOptions = {},
): Stage {
  const { options = {}, allowed = Object.keys(skills), ...request } = more;
  const model = createScriptedModel(script);
  const ends: LoopEnd[] = [];
  const think = thinker(allowed, request, (end) => ends.push(end));
  const agent = agentWith({ ...skills, think }, { models: { execution: model, summary: model }, ...options });
  return { agent, model, ends, [Symbol.asyncDispose]: () => agent.shutdown() };
}

/** Returns a skill that runs a model loop with its input as the prompt. */
export function thinker(
  allowedSkills: readonly string[],
  request: Partial<LoopRequest> = {},
  onEnd: (end: LoopEnd, scope: Scope) => void = () => undefined,
): TestSkill {
  const run: Run = async (input, scope) => {
    const end = await runLoop(scope, { prompt: typeof input === 'string' ? input : 'Go.', ...request });
    onEnd(end, scope);
    return loopOutput(end);
  };
  return { allowedSkills, run };
}

/** Returns a skill that calls no other skill. */
export function leaf<Input = string>(
  run: (input: Input, scope: Scope) => Output | Promise<Output>,
  more: Partial<SkillSpec<Input>> = {},
): TestSkill {
  return { allowedSkills: [], run, ...more } as unknown as Partial<SkillSpec<never>>;
}

/** Returns a call as a scripted model makes it. */
export function call(
  name: string,
  input: Json = { input: '' },
): { readonly name: string; readonly input: Json } {
  return { name, input };
}

/** Returns the tool results in a model's request. */
export function toolTexts(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ text }) => text);
}

/** Returns the user messages in a model's request. */
export function userTexts(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'user').map(({ text }) => text);
}

/**
 * Fails unless every provider would accept the conversation: it starts with a user message, and every call
 * has exactly one result, in order, directly after the call's turn.
 */
export function checkConversation(messages: readonly Message[], where = ''): void {
  assert.equal(messages[0]?.role, 'user', where);
  const ids = new Set<string>();
  let due: readonly ToolCall[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const [next, ...rest] = due;
      assert.deepEqual(
        [message.callId, message.name],
        [next?.id, next?.name],
        `a result out of place ${where}`,
      );
      assert.notEqual(message.text, '', where);
      due = rest;
      continue;
    }
    assert.deepEqual(due, [], `calls without results ${where}`);
    if (message.role === 'user') assert.notEqual(message.text.trim(), '', where);
    if (message.role !== 'assistant') continue;
    due = message.calls ?? [];
    assert.ok(message.text !== '' || due.length > 0, `an empty turn ${where}`);
    for (const { id } of due) {
      assert.ok(!ids.has(id), `${id} twice ${where}`);
      ids.add(id);
    }
  }
  assert.deepEqual(due, [], `calls without results ${where}`);
}
