import type { ModelRequest } from '../../src/core/model.ts';
import { createScriptedModel, type ScriptedModel } from '../../src/models/scripted.ts';
import type { Attempt } from './attempts/attempt.ts';

/**
 * A model that makes these calls in every conversation. It makes those of a turn together, if the tools exist,
 * and then answers.
 */
export function createPersistentModel(turns: readonly (readonly Attempt[])[]): ScriptedModel {
  return createScriptedModel((request: ModelRequest) => {
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const offered = new Set(request.tools?.map(({ name }) => name));
    const calls = (turns[turn] ?? []).filter(({ name }) => offered.has(name));
    return calls.length === 0 ? 'Done.' : { calls };
  });
}
