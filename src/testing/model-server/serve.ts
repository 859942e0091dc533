import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { reasonOf } from '../../core/error.ts';
import { isJsonObject, parseJson } from '../../core/json.ts';
import { optional } from '../../core/collections.ts';
import { listModels } from './model-list.ts';
import { openaiChat } from './openai-chat.ts';
import { buildError, buildPlan, buildWhole, type Plan } from './plan.ts';
import type { Protocol } from './protocol.ts';
import { protocols } from './protocols.ts';
import type { RequestLog } from './request-log.ts';
import { send } from './send.ts';
import type { ServedReply, ServedRequest } from './turn.ts';

/** What every request of a server has in common. */
export interface Serving {
  readonly log: RequestLog;
  readonly authorization: string | undefined;
  readonly models: readonly string[] | undefined;
  /** The next turn, counted from 1. */
  readonly nextTurn: () => number;
  readonly ask: (request: ServedRequest, turn: number) => Promise<ServedReply>;
}

/** Answers one request from its arrival to its end; never throws. */
export async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const body = await text(incoming).catch(() => undefined);
  if (body === undefined) return; // the client left before it had asked
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
  const refuse = (status: number, message: string): Plan =>
    buildError(protocol ?? openaiChat, { status, message });
  try {
    await send(response, await decide(logged.request, protocol, serving, refuse), logged.end);
  } catch (thrown) {
    // A turn that cannot be sent, for instance with an impossible header, failed like a script does.
    const plan = refuse(400, `The turn cannot be sent: ${reasonOf(thrown)}`);
    if (response.headersSent) response.destroy();
    else await send(response, plan, logged.end);
  }
}

async function decide(
  request: ServedRequest,
  protocol: Protocol | undefined,
  { authorization, models, nextTurn, ask }: Serving,
  refuse: (status: number, message: string) => Plan,
): Promise<Plan> {
  if (authorization !== undefined && keyOf(request) !== authorization) {
    return refuse(401, 'The request has no key, or another one than the model server wants.');
  }
  const list = listModels(request, models ?? ['test-model']);
  if (list !== undefined) return buildWhole({}, 200, JSON.stringify(list));
  if (protocol === undefined)
    return refuse(404, `The model server has nothing at ${request.method} ${request.path}.`);
  const model = request.body['model'];
  if (typeof model !== 'string') return refuse(400, 'The request is no JSON object with a model.');
  if (models?.includes(model) === false) return refuse(404, `The model server has no model ${model}.`);
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
