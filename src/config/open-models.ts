import type { ModelOptions } from '../core/model-source.ts';
import { LLMAgent } from '../models/llm-agent.ts';
import { findModels, type Machine } from './find-models.ts';
import { createModelOpener } from './model-opener.ts';

/** The models that were chosen; where none was, what the machine has, which is looked at when a model is first asked. */
export function openModels(options: ModelOptions, machine: Machine): LLMAgent {
  return new LLMAgent({
    ...options,
    open: createModelOpener(options, machine),
    find: () => findModels(options, machine),
  });
}
