import { isJsonObject, type Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { HookEvent, HookMoment } from '../../core/family.ts';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { outputOf } from './output-of.ts';
import { runHooks } from './run-hooks.ts';

/** Runs what a skill hooks into a conversation that loaded it. */
export function hook(definition: AgentSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  return outputOf(async () => {
    const objection = await runHooks(definition, eventIn(input), '', scope);
    return { status: 'done', text: objection ?? '', value: objection === undefined ? {} : { objection } };
  });
}

/** The event as it came: whoever calls is a loop, which makes no others. */
function eventIn(input: Json): HookEvent {
  const { moment, tool, input: given, text } = isJsonObject(input) ? input : {};
  return {
    moment: moment as HookMoment,
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(given === undefined ? {} : { input: given }),
    ...(typeof text === 'string' ? { text } : {}),
  };
}
