import { LLMAgent as BareLLMAgent, type LLMAgentOptions } from '../models/llm-agent.ts';
import { machineFor } from './machine.ts';
import { onMachine } from './open-models.ts';

/** The layer between those who need a model and the providers, with the providers of this package and the keys of the environment. */
export class LLMAgent extends BareLLMAgent {
  constructor(options: LLMAgentOptions = {}) {
    super(onMachine(options, machineFor(undefined)));
  }
}
