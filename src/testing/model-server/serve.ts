import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { isJsonObject, optional, parseJson, pause, reasonOf, type JsonObject } from '../../core/index.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { buildError, buildPlan, buildWhole, type ResponsePlan } from './plan.ts';
import type { Protocol } from './protocol.ts';
import type { RequestLog } from './request-log.ts';
import type { ServedReply, ServedRequest } from './script.ts';

/** The state that all requests to one server share. */
export interface ModelServerContext {
  readonly log: RequestLog;
  readonly authorization: string | undefined;
  readonly models: readonly string[] | undefined;
  /** Returns the number of the next turn. The first number is 1. */
  readonly nextTurn: () => number;
  readonly ask: (request: ServedRequest, turn: number) => Promise<ServedReply>;
}

/** Answers one request. Never throws. */
export async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  serving: ModelServerContext,
): Promise<void> {
  const body = await text(incoming).catch(() => undefined);
  if (body === undefined) return; // The client disconnected while it was sending the request.
  const path = (incoming.url ?? '').replace(/\?.*$/s, '');
  const method = incoming.method ?? '';
  const protocol = method === 'POST' ? protocols.find((one) => one.path === path) : undefined;
  const json = parseJson(body);
  const logged = serving.log.add({
    method,
    path,
    headers: flatten(incoming.headers),
    body: isJsonObject(json) ? json : {},
    ...optional('protocol', protocol?.name),
  });
  response.once('finish', logged.end).once('close', logged.leave);
  const refuse = (status: number, message: string): ResponsePlan =>
    buildError(protocol ?? openaiChat, { status, message });
  try {
    await send(response, await decide(logged.request, protocol, serving, refuse), logged.end);
  } catch (thrown) {
    // A turn that cannot be sent, such as one with an invalid header, is reported like an error in the
    // script.
    const plan = refuse(400, `The turn cannot be sent: ${reasonOf(thrown)}`);
    if (response.headersSent) response.destroy();
    else await send(response, plan, logged.end);
  }
}

async function decide(
  request: ServedRequest,
  protocol: Protocol | undefined,
  { authorization, models, nextTurn, ask }: ModelServerContext,
  refuse: (status: number, message: string) => ResponsePlan,
): Promise<ResponsePlan> {
  if (authorization !== undefined && keyOf(request) !== authorization) {
    return refuse(401, 'The request has no key, or its key is not the one that the model server expects.');
  }
  const list = listModels(request, models ?? ['test-model']);
  if (list !== undefined) return buildWhole({}, 200, JSON.stringify(list));
  if (protocol === undefined)
    return refuse(404, `The model server does not support ${request.method} ${request.path}.`);
  const model = request.body['model'];
  if (typeof model !== 'string') return refuse(400, 'The request must be a JSON object with a "model".');
  if (models?.includes(model) === false) return refuse(404, `Unknown model ${model}.`);
  const turn = nextTurn();
  return buildPlan(protocol, await ask(request, turn), turn, request);
}

function keyOf({ headers }: ServedRequest): string | undefined {
  return headers['x-api-key'] ?? headers['authorization']?.replace(/^Bearer /, '');
}

function flatten(headers: IncomingMessage['headers']): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(entries);
}

/** All supported protocols. */
const protocols: readonly Protocol[] = [openaiChat, openaiResponses, anthropicMessages];

/** Returns the list of models in the format of the requested path, or undefined for any other request. */
function listModels(
  { method, path, headers }: ServedRequest,
  models: readonly string[],
): JsonObject | undefined {
  if (method !== 'GET') return undefined;
  // Ollama lists its models at a path of its own.
  if (path === '/api/tags') return { models: models.map((name) => ({ name, model: name })) };
  if (path !== '/v1/models') return undefined;
  return headers['anthropic-version'] === undefined ? openaiList(models) : anthropicList(models);
}

function openaiList(models: readonly string[]): JsonObject {
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'script' })),
  };
}

function anthropicList(models: readonly string[]): JsonObject {
  return {
    data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2023-11-14T22:13:20Z' })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  };
}

/**
 * Sends a response as planned. Resolves once the response ends or the client disconnects. If the plan breaks
 * the connection, calls `onCut` just before that.
 */
async function send(
  response: ServerResponse,
  { status, headers, chunks, ending, delayBefore, delay }: ResponsePlan,
  onCut: () => void,
): Promise<void> {
  const left = leavingOf(response);
  if (!(await passes(delayBefore, left))) return;
  if (status !== undefined) {
    response.writeHead(status, headers);
    response.flushHeaders();
    await nextLoop();
  }
  for (const { bytes, pieces } of chunks) {
    if (!(await passes(delay * pieces, left))) return;
    if (!response.write(bytes)) await happens(response, 'drain', left);
    await nextLoop(); // Yield, so that a client in this process can read each write separately.
  }
  if (left.aborted) return;
  if (ending === 'end') response.end();
  if (ending !== 'cut') return happens(response, 'close', left);
  await flush(response);
  onCut();
  response.destroy();
}

function leavingOf(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  if (response.destroyed) left.abort();
  response.once('close', () => left.abort());
  return left.signal;
}

/** Waits for a number of milliseconds. Resolves to false if the client disconnects first. */
async function passes(milliseconds: number, left: AbortSignal): Promise<boolean> {
  if (milliseconds > 0) await pause(milliseconds, left);
  return !left.aborted;
}

async function happens(response: ServerResponse, event: string, left: AbortSignal): Promise<void> {
  // The wait ends early if the client disconnects, so the caller must check the signal.
  await once(response, event, { signal: left }).catch(() => undefined);
}

/** Waits until the operating system has accepted all written bytes, or until the connection closes. */
async function flush(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.write('', () => resolve());
  });
}
