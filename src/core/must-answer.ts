import { AgentError, fromErrorData } from './error.ts';
import type { Model, ModelReply } from './model.ts';

/** Throws why a reply is no whole answer: the failure of the model, a refusal, or an answer that was cut off. */
export function mustAnswer({ id }: Model, { reason, error, model = id }: ModelReply): void {
  if (error !== undefined) throw fromErrorData(error);
  switch (reason) {
    case 'answer':
    case 'calls':
      return;
    case 'length':
      throw new AgentError('model.length', `The answer of ${model} was cut off at its greatest length.`, {
        hint: 'Allow more tokens, or ask for less.',
      });
    case 'refused':
      throw new AgentError('model.refused', `${model} refused to answer.`, { hint: 'Ask in another way.' });
    case 'aborted':
      throw new AgentError('model.aborted', `${model} was called off.`);
    case 'error':
      throw new AgentError('model.failed', `${model} failed without saying why.`);
  }
}
