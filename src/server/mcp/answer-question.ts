import type { RecursiveSkilledAgent } from '../../agent/recursive-skilled-agent.ts';
import { toErrorData } from '../../core/error.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { formKey } from './ask-client.ts';
import { questionForm } from './question-form.ts';
import type { Asked } from './serving.ts';

/** Whether a run can go on; with an objection it is to be asked again. */
export interface Answered {
  readonly status: 'cancelled' | 'answered';
  readonly objection?: string;
}

/**
 * Gives what a client filled in to the run that asked. A declined approval is denied; a declined question, and a form that
 * was closed, cancel the run. Nothing but the form decides.
 */
export async function answerQuestion(
  agent: RecursiveSkilledAgent,
  asked: Asked,
  responses: Readonly<Record<string, unknown>> | undefined,
): Promise<Answered> {
  const { inputResponse } = await import('@modelcontextprotocol/server');
  const { question } = await agent.runs.result(asked.run);
  if (question?.id !== asked.question) return { status: 'answered' }; // somebody else was quicker
  const reply = inputResponse(responses, formKey);
  if (reply.kind !== 'elicit') return { status: 'answered', objection: 'No answer came.' };
  if (reply.action === 'accept') return give(agent, asked, question, reply.content ?? {});
  if (reply.action === 'decline' && question.kind === 'approval') {
    await agent.runs.approve(asked.run, asked.question, { deny: 'The user declined.' });
    return { status: 'answered' };
  }
  await agent.runs.cancel(asked.run, 'The user answered nothing.');
  return { status: 'cancelled' };
}

async function give(
  agent: RecursiveSkilledAgent,
  { run, question: id }: Asked,
  question: OpenQuestion,
  content: Readonly<Record<string, unknown>>,
): Promise<Answered> {
  const answer = questionForm(question).read(content);
  if (answer === undefined) return { status: 'answered', objection: 'That is no answer.' };
  try {
    await agent.runs.answer(run, answer, id);
    return { status: 'answered' };
  } catch (thrown) {
    const { code, message } = toErrorData(thrown);
    if (code === 'policy.expired') return { status: 'answered' }; // the run goes on without it
    return { status: 'answered', objection: message };
  }
}
