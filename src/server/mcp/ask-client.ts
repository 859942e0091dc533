import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { OpenQuestion } from '../../core/run.ts';
import { questionForm } from './question-form.ts';
import type { Asked, Serving } from './serving.ts';

/** The name of the one form that a client is shown at a time. */
export const formKey = 'question';

/** Asks the client what a run waits for; what is sealed comes back with the answer. */
export async function askClient(
  { agent, seal, errands }: Serving,
  asking: {
    readonly state: Asked;
    readonly question: OpenQuestion;
    readonly request: ServerContext;
    readonly signal: AbortSignal;
    /** Why the last answer was none. */
    readonly objection?: string;
  },
): Promise<InputRequiredResult> {
  const { inputRequired } = await import('@modelcontextprotocol/server');
  const { state, question, request, signal, objection } = asking;
  const { message, schema } = questionForm(question);
  const isHeld = request.mcpReq.envelope === undefined; // older clients keep their call open while they ask
  const cancel = (): void => errands.add(agent.runs.cancel(state.run, 'The client cancelled the call.'));
  if (isHeld && signal.aborted) cancel();
  else if (isHeld) signal.addEventListener('abort', cancel, { once: true });
  const text = objection === undefined ? message : `${objection}\n${message}`;
  return inputRequired({
    inputRequests: { [formKey]: inputRequired.elicit({ message: text, requestedSchema: schema }) },
    requestState: await seal.mint(state, request),
  });
}
