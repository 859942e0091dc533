import { LLMAgent as BareLLMAgent, type LLMAgentOptions } from '../models/llm-agent.ts';
import { findModels } from './find-models.ts';
import { machineFor } from './machine.ts';
import { createModelOpener } from './model-opener.ts';

/** The layer between those who need a model and the providers, with the providers of this package and the keys of the environment. */
export class LLMAgent extends BareLLMAgent {
  constructor(options: LLMAgentOptions = {}) {
    const machine = machineFor(undefined);
    super({
      open: createModelOpener(options, machine),
      find: () => findModels(options, machine),
      ...options,
    });
  }
}
