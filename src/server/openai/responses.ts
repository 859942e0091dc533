import { randomUUID } from 'node:crypto';
import { isJsonObject, optional, type Json, type JsonObject } from '../../core/index.ts';
import { deciderOf, mustHaveScope } from '../caller.ts';
import { beginAnswer, newId, type AnswerInProgress, type AnswerRequest } from './answer.ts';
import { badRequest, openaiError } from './errors.ts';
import { eventResponse } from './event-body.ts';
import { readInput, splitConversation } from './items.ts';
import {
  mayWrite,
  readEffort,
  readFormat,
  readObject,
  readTools,
  sessionFor,
  skillOf,
  waitingIn,
  type OpenAiCall,
} from './request.ts';
import { buildResponse, responseEvents, type ResponseHead } from './response-events.ts';
import {
  findRecord,
  isLast,
  ownerOf,
  removeRecord,
  saveLast,
  saveRecord,
  turnsUntil,
  type ResponseRecord,
} from './response-records.ts';

/** Answers `POST /responses`. */
export async function createResponse(call: OpenAiCall): Promise<Response> {
  mayWrite(call);
  const { context, caller, request } = call;
  const body = await readObject(request);
  const { turn, previous } = await readTurn(call, body);
  const isBackground = body['background'] === true && body['stream'] !== true;
  const gone = new AbortController();
  const signal = isBackground ? gone.signal : AbortSignal.any([request.signal, gone.signal]);
  const answer = await beginAnswer(context, caller, turn, signal);
  const head: ResponseHead = { id: newId('resp'), createdAt: Math.floor(Date.now() / 1_000), body };
  const isStored = body['store'] !== false;
  const save = async (response: JsonObject, text: string): Promise<void> => {
    if (!isStored) return;
    const { session, prompt } = turn;
    const { runId } = answer;
    const facts = { owner: ownerOf(caller), runId, session, prompt, text, ...optional('previous', previous) };
    await saveRecord(context, head.id, { ...facts, response });
    await saveLast(context, session, head.id);
  };
  await save(buildResponse(head, { status: 'in_progress', output: [] }), '');
  if (body['stream'] === true)
    return eventResponse(responseEvents(head, answer, save), {
      abort: () => gone.abort(),
      closing: context.closing,
    });
  const work = wholeResponse(head, answer, save);
  if (!isBackground) return await work;
  work.catch((thrown: unknown) => context.report(`response ${head.id}: ${String(thrown)}`));
  return Response.json(buildResponse(head, { status: 'in_progress', output: [] }));
}

type Save = (response: JsonObject, text: string) => Promise<void>;

/** Collects the answer. The last event has the response. */
async function wholeResponse(head: ResponseHead, answer: AnswerInProgress, save: Save): Promise<Response> {
  let response: JsonObject = {};
  const events = responseEvents(head, answer, async (last, text) => {
    response = last;
    await save(last, text);
  });
  while ((await events.next()).done !== true);
  const { error } = await answer.end();
  const headers = { 'skilled-run': answer.runId };
  return error === undefined ? Response.json(response, { headers }) : openaiError(error, headers);
}

interface ReadRequest {
  readonly turn: AnswerRequest;
  readonly previous: string | undefined;
}

async function readTurn(call: OpenAiCall, body: JsonObject): Promise<ReadRequest> {
  const { model, input, instructions, tools, tool_choice: choice, text, reasoning } = body;
  const skill = skillOf(call, model);
  const conversation = splitConversation(readInput(input));
  const given = [typeof instructions === 'string' ? instructions : undefined, conversation.instructions]
    .filter((one) => one !== undefined && one.trim() !== '')
    .join('\n\n');
  const { earlier, ...found } = await findSession(call, body);
  const { prompt, attachments, results } = conversation;
  const turn = {
    skill,
    prompt,
    attachments,
    results,
    instructions: given === '' ? undefined : given,
    tools: readTools(tools, choice),
    schema: readFormat(isJsonObject(text) ? text['format'] : undefined),
    effort: readEffort(isJsonObject(reasoning) ? reasoning['effort'] : undefined),
    earlier: [...earlier, ...conversation.earlier],
    session: found.session,
    waiting: found.waiting,
  };
  return { turn, previous: found.previous };
}

type FoundSession = Pick<AnswerRequest, 'session' | 'waiting' | 'earlier'> & Pick<ReadRequest, 'previous'>;

/** Finds the session of a request: its conversation, that of the previous response, or a new one. */
async function findSession(call: OpenAiCall, body: JsonObject): Promise<FoundSession> {
  const { previous_response_id: previous, conversation, store } = body;
  const { context, caller } = call;
  const named = nameIn(isJsonObject(conversation) ? conversation['id'] : conversation, 'conversation');
  const before = nameIn(previous, 'previous_response_id');
  if (named !== undefined && before !== undefined)
    throw badRequest('"conversation" and "previous_response_id" exclude each other.', 'Send one of them.');
  if (named !== undefined) {
    const session = sessionFor(caller, `conversation-${named}`);
    return { session, waiting: await waitingIn(call, session), earlier: [], previous: undefined };
  }
  const fresh = (): string => sessionFor(caller, store === false ? undefined : randomUUID());
  if (before === undefined) return { session: fresh(), waiting: undefined, earlier: [], previous: undefined };
  const record = await findRecord(context, caller, before);
  if (await isLast(context, record.session, before))
    return { session: record.session, waiting: record.runId, earlier: [], previous: before };
  return {
    session: fresh(),
    waiting: undefined,
    earlier: await turnsUntil(context, caller, record),
    previous: before,
  };
}

function nameIn(value: Json | undefined, member: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '') throw badRequest(`"${member}" must be text.`);
  return value;
}

/** Answers `GET /responses/{id}`. */
export async function getResponse({ context, caller }: OpenAiCall, id: string): Promise<Response> {
  mustHaveScope(caller, 'runs:read');
  return Response.json((await findRecord(context, caller, id)).response);
}

/** Answers `DELETE /responses/{id}`. The run stays. */
export async function deleteResponse({ context, caller }: OpenAiCall, id: string): Promise<Response> {
  mustHaveScope(caller, 'runs:write');
  await findRecord(context, caller, id);
  await removeRecord(context, id);
  return Response.json({ id, object: 'response', deleted: true });
}

/** Answers `POST /responses/{id}/cancel`. A response that has ended stays as it is. */
export async function cancelResponse({ context, caller }: OpenAiCall, id: string): Promise<Response> {
  mustHaveScope(caller, 'runs:write');
  const record: ResponseRecord = await findRecord(context, caller, id);
  if (record.response['status'] !== 'in_progress') return Response.json(record.response);
  await context.agent.runs.cancel(record.runId, 'The client cancelled the response.', deciderOf(caller));
  const response = { ...record.response, status: 'cancelled' };
  await saveRecord(context, id, { ...record, response });
  return Response.json(response);
}
