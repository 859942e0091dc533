import type { ModelOptions } from '../core/model/sources.ts';
import { LLMAgent, type LLMAgentOptions } from '../models/llm-agent.ts';
import { findModels, type Machine } from './find-models.ts';
import { createModelOpener } from './model-opener.ts';

/** The models that were chosen; where none was, what the machine has, which is looked at when a model is first asked. */
export function openModels(options: ModelOptions, machine: Machine): LLMAgent {
  return new LLMAgent(onMachine(options, machine));
}

/** Options with ways to open and to find models on a machine, unless they have their own. */
export function onMachine(options: LLMAgentOptions, machine: Machine): LLMAgentOptions {
  return {
    open: createModelOpener(options, machine),
    find: () => findModels(options, machine),
    ...options,
  };
}
