import { isJsonObject, toErrorData, type OpenQuestion } from '../../core/index.ts';
import { foldRun } from '../../views/index.ts';
import { deciderOf, type Caller } from '../caller.ts';
import { readEvents } from '../rest/own-runs.ts';
import type { ServerContext } from '../route-group.ts';
import { badRequest } from './errors.ts';

/** The type of the tools that clients run, in the words of this API. */
export const functionType = 'function';

/** The result of a client's tool. */
export interface ClientResult {
  /** The id of the call. */
  readonly id: string;
  readonly text: string;
}

/** Returns the id of a call of a client's tool: the run and the question. */
export function callIdOf(runId: string, questionId: string): string {
  return `call_${runId}_${questionId}`;
}

/** Returns the run of a call, or undefined for an id that another server made. */
export function runOfCall(id: string): string | undefined {
  return /^call_([\w.-]+?)_(q_[^_]+)$/.exec(id)?.[1];
}

/** Returns the open questions of a run. */
export async function questionsOf({ agent }: ServerContext, runId: string): Promise<readonly OpenQuestion[]> {
  return foldRun(await readEvents(await agent.runs.store(), runId)).questions;
}

interface Returned {
  readonly runId: string;
  readonly results: readonly ClientResult[];
  readonly questions: readonly OpenQuestion[];
}

/** Answers the calls of the client's tools. All open calls of the run need a result. */
export async function returnResults(
  { agent }: ServerContext,
  caller: Caller,
  { runId, results, questions }: Returned,
): Promise<void> {
  const texts = new Map(results.map(({ id, text }) => [id, text]));
  for (const { id, tool } of questions)
    if (tool !== undefined && !texts.has(callIdOf(runId, id)))
      throw badRequest(
        `No result was found for the call of "${tool.name}".`,
        'Return the results of all calls.',
      );
  for (const { id, tool } of questions) {
    const text = texts.get(callIdOf(runId, id));
    if (tool === undefined || text === undefined) continue;
    await agent.runs.answer(runId, text, id, deciderOf(caller)).catch((thrown: unknown) => {
      const { details } = toErrorData(thrown);
      // A client can send the same result twice.
      if (!isJsonObject(details) || details['answered'] !== id) throw thrown;
    });
  }
}
