import { AgentError } from '../../core/index.ts';
import { mustHaveScope, notFound } from '../caller.ts';
import { modelsFor, type AgentModel } from '../chat/models.ts';
import type { GroupHandler, ServerContext } from '../route-group.ts';
import { createMessage } from './messages.ts';
import { estimateTokens, readMessageRequest } from './read-request.ts';

const base = '/anthropic/v1';

/** Serves the agent in the form of the Anthropic Messages API. */
export function openAnthropic(context: ServerContext): GroupHandler {
  return {
    async handle(request, caller) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === `${base}/messages`) {
        const body = await readJson(request);
        const message = readMessageRequest(body, request.headers.get('x-skilled-session'), caller);
        return await createMessage(context, caller, message, request.signal);
      }
      if (pathname === `${base}/messages/count_tokens`) {
        mustHaveScope(caller, 'runs:write');
        return Response.json({ input_tokens: estimateTokens(await readJson(request)) });
      }
      if (pathname === `${base}/models` || pathname.startsWith(`${base}/models/`)) {
        mustHave(request, 'GET');
        mustHaveScope(caller, 'skills:read');
        const models = modelsFor(context, caller);
        return Response.json(
          pathname === `${base}/models`
            ? pageOf(models, searchParams)
            : findModel(models, pathname.slice(`${base}/models/`.length)),
        );
      }
      throw new AgentError('usage.not-found', `The server has nothing at ${pathname.slice(0, 200)}.`, {
        hint: `Use ${base}/messages or ${base}/models.`,
      });
    },
  };
}

async function readJson(request: Request): Promise<unknown> {
  mustHave(request, 'POST');
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AgentError('usage.bad-input', 'The body of the request must be JSON.', {
      hint: 'Send `Content-Type: application/json`.',
      details: { status: 415 },
    });
  try {
    return await request.json();
  } catch {
    throw new AgentError('usage.bad-input', 'The body of the request is not valid JSON.', {
      hint: 'Check commas and quotes.',
    });
  }
}

function mustHave(request: Request, method: string): void {
  if (request.method === method) return;
  throw new AgentError('usage.bad-input', `The path does not support ${request.method.slice(0, 20)}.`, {
    hint: `Use ${method}.`,
    details: { status: 405 },
  });
}

function pageOf(models: readonly AgentModel[], query: URLSearchParams): object {
  const limit = Math.min(1_000, Math.max(1, Math.trunc(Number(query.get('limit') ?? 20)) || 20));
  const [after, before] = [query.get('after_id'), query.get('before_id')];
  const from = after === null ? 0 : models.findIndex(({ id }) => id === after) + 1;
  const to =
    before === null
      ? models.length
      : Math.max(
          0,
          models.findIndex(({ id }) => id === before),
        );
  const range = models.slice(from, to);
  const page = before === null ? range.slice(0, limit) : range.slice(-limit);
  return {
    data: page.map(showModel),
    has_more: page.length < range.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function findModel(models: readonly AgentModel[], id: string): object {
  const found = models.find((model) => model.id === id);
  if (found === undefined) throw notFound('model', id);
  return showModel(found);
}

function showModel({ id, description }: AgentModel): object {
  return {
    type: 'model',
    id,
    display_name: description.slice(0, 200),
    created_at: '1970-01-01T00:00:00Z', // The API's form for an unknown time.
    capabilities: null,
    max_input_tokens: null,
    max_tokens: null,
  };
}
