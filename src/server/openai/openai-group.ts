import { AgentError } from '../../core/index.ts';
import type { Caller } from '../caller.ts';
import { mustHaveScope } from '../caller.ts';
import type { GroupHandler, ServerContext } from '../route-group.ts';
import { createChatCompletion } from './chat.ts';
import { modelNames, noModel, type OpenAiCall } from './request.ts';
import { runOnce } from './run-once.ts';
import { cancelResponse, createResponse, deleteResponse, getResponse } from './responses.ts';

/** The path of the API that OpenAI's clients use. */
const root = '/openai/v1';

type Handle = (call: OpenAiCall, id: string) => Response | Promise<Response>;

const routes: readonly (readonly [method: string, pattern: RegExp, handle: Handle])[] = [
  ['GET', /^\/models$/, listModels],
  ['GET', /^\/models\/(.+)$/, getModel],
  ['POST', /^\/chat\/completions$/, (call) => runOnce(call, createChatCompletion)],
  ['POST', /^\/responses$/, (call) => runOnce(call, createResponse)],
  ['GET', /^\/responses\/([^/]+)$/, getResponse],
  ['DELETE', /^\/responses\/([^/]+)$/, deleteResponse],
  ['POST', /^\/responses\/([^/]+)\/cancel$/, cancelResponse],
];

/** Opens the API for OpenAI's clients. */
export function openOpenAi(context: ServerContext): GroupHandler {
  return {
    async handle(request: Request, caller: Caller) {
      const path = new URL(request.url).pathname.slice(root.length).replace(/\/$/, '');
      const known = routes.filter(([, pattern]) => pattern.test(path));
      const route = known.find(([method]) => method === request.method);
      if (route !== undefined) {
        const [, pattern, handle] = route;
        return await handle({ context, caller, request }, pattern.exec(path)?.[1] ?? '');
      }
      throw known.length === 0 ? noPath(path) : wrongMethod(request.method);
    },
  };
}

function listModels(call: OpenAiCall): Response {
  mustHaveScope(call.caller, 'skills:read');
  return Response.json({ object: 'list', data: modelNames(call).map(modelOf) });
}

function getModel(call: OpenAiCall, id: string): Response {
  mustHaveScope(call.caller, 'skills:read');
  const name = safeDecode(id);
  if (!modelNames(call).includes(name)) throw noModel(name);
  return Response.json(modelOf(name));
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The name is then unknown.
  }
}

function modelOf(id: string): object {
  return { id, object: 'model', created: 0, owned_by: 'skilled' };
}

function noPath(path: string): AgentError {
  return new AgentError('usage.not-found', `The API has nothing at ${path.slice(0, 200)}.`, {
    hint: 'It has /models, /responses and /chat/completions.',
  });
}

function wrongMethod(method: string): AgentError {
  return new AgentError('usage.bad-input', `The path does not support ${method.slice(0, 20)}.`, {
    hint: 'Compare the request with the guide "OpenAI clients".',
    details: { status: 405 },
  });
}
