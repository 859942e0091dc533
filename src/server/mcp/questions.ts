import type {
  ElicitRequestFormParams,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { onAbort, toErrorData, type OpenQuestion } from '../../core/index.ts';
import { questionForm } from '../../views/index.ts';
import type { PendingCall, ServeContext } from './context.ts';

/** The result of processing an answer. If `objection` is set, the question must be asked again. */
interface Answered {
  readonly status: 'cancelled' | 'answered';
  readonly objection?: string;
}

/**
 * Passes a client's response to the run that asked the question. If the client declines an approval request,
 * the approval is denied. If the client declines any other question or closes the form, the run is cancelled.
 */
export async function answerQuestion(
  agent: BareAgent,
  asked: PendingCall,
  responses: Readonly<Record<string, unknown>> | undefined,
): Promise<Answered> {
  const { inputResponse } = await import('@modelcontextprotocol/server');
  const { question } = await agent.runs.result(asked.run);
  // The question has already been answered elsewhere.
  if (question?.id !== asked.question) return { status: 'answered' };
  const reply = inputResponse(responses, formKey);
  if (reply.kind !== 'elicit') return { status: 'answered', objection: 'The client sent no answer.' };
  if (reply.action === 'accept') return give(agent, asked, question, reply.content ?? {});
  if (reply.action === 'decline' && question.kind === 'approval') {
    await agent.runs.approve(asked.run, asked.question, { deny: 'The user declined.' });
    return { status: 'answered' };
  }
  await agent.runs.cancel(asked.run, 'The user did not answer.');
  return { status: 'cancelled' };
}

async function give(
  agent: BareAgent,
  { run, question: id }: PendingCall,
  question: OpenQuestion,
  content: Readonly<Record<string, unknown>>,
): Promise<Answered> {
  const answer = questionForm(question).read(content);
  if (answer === undefined) return { status: 'answered', objection: 'That is not a valid answer.' };
  try {
    await agent.runs.answer(run, answer, id);
    return { status: 'answered' };
  } catch (thrown) {
    const { code, message } = toErrorData(thrown);
    // The question has expired, so the run continues without an answer.
    if (code === 'policy.expired') return { status: 'answered' };
    return { status: 'answered', objection: message };
  }
}

/** The key of the form in a request. There is only one form per request. */
const formKey = 'question';

/**
 * Builds the request that asks a client the question of a run. The client returns the signed state with its
 * answer.
 */
export async function askClient(
  { agent, seal, backgroundTasks }: ServeContext,
  asking: {
    readonly state: PendingCall;
    readonly question: OpenQuestion;
    readonly request: ServerContext;
    readonly signal: AbortSignal;
    /** The reason why the last answer was invalid. */
    readonly objection?: string;
  },
): Promise<InputRequiredResult> {
  const { inputRequired } = await import('@modelcontextprotocol/server');
  const { state, question, request, signal, objection } = asking;
  const { message, schema } = questionForm(question);
  const isHeld = request.mcpReq.envelope === undefined; // Older clients keep the call open while they ask.
  const cancel = (): void =>
    backgroundTasks.add(agent.runs.cancel(state.run, 'The client cancelled the call.'));
  if (isHeld && signal.aborted) cancel();
  else if (isHeld) onAbort(signal, cancel);
  const text = objection === undefined ? message : `${objection}\n${message}`;
  return inputRequired({
    inputRequests: {
      [formKey]: inputRequired.elicit({ message: text, requestedSchema: schema as unknown as Fields }),
    },
    requestState: await seal.mint(state, request),
  });
}

type Fields = ElicitRequestFormParams['requestedSchema'];
