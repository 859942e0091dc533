import { AgentError, fromErrorData, type ErrorData } from '../core/error.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { RunResult } from '../core/run.ts';

/** A run that is done; throws what any other one came to, with its id among the details. */
export function mustBeDone(result: RunResult): RunResult {
  if (result.ok) return result;
  if (result.status === 'waiting') throw waiting(result);
  const { runId, status, error = { code: 'internal.bug', message: `The run is ${status}.` } } = result;
  throw fromErrorData({ ...error, details: detailsWith(runId, error) });
}

function detailsWith(runId: string, { details = {} }: ErrorData): Json {
  return isJsonObject(details) ? { ...details, runId } : details;
}

function waiting({ runId, skill, text, question }: RunResult): AgentError {
  const answer =
    question?.kind === 'approval'
      ? `agent.runs.approve('${runId}', '${question.id}', …)`
      : `agent.runs.answer('${runId}', …)`;
  return new AgentError('policy.waiting', `"${skill}" waits for a person: ${text}`, {
    hint: `Decide with ${answer}, then go on with agent.runs.resume('${runId}').`,
    details: { runId, ...(question === undefined ? {} : { question: question as unknown as Json }) },
  });
}
