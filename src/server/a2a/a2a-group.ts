import { AgentCard } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { AgentError, isAgentError, reasonOf, toErrorData } from '../../core/index.ts';
import { mustHaveScope } from '../caller.ts';
import { streamText } from '../chat/text-stream.ts';
import type { GroupHandler, ServerContext } from '../route-group.ts';
import { buildAgentCard } from './agent-card.ts';
import { rpcError } from './errors.ts';
import { createTaskHandler } from './request-handler.ts';

const cardPath = '/.well-known/agent-card.json';
const endpoint = '/a2a';

/** Serves the agent to other agents: its card, and tasks over JSON-RPC in versions 1.0 and 0.3 of A2A. */
export function openA2a(context: ServerContext): GroupHandler {
  return {
    async handle(request, caller) {
      const { pathname, origin } = new URL(request.url);
      const url = `${origin}${endpoint}`;
      if (pathname === cardPath) {
        mustHave(request, 'GET');
        mustHaveScope(caller, 'skills:read');
        return Response.json(cardJson(AgentCard.toJSON(buildAgentCard(context, caller, url)), url));
      }
      if (pathname !== endpoint)
        throw new AgentError('usage.not-found', `The server has nothing at ${pathname.slice(0, 200)}.`, {
          hint: `Use ${endpoint} or ${cardPath}.`,
        });
      mustHave(request, 'POST');
      const body = readBody(await request.text());
      const gone = new AbortController();
      const signal = AbortSignal.any([request.signal, gone.signal]);
      // The package cannot read some requests, and then throws errors of its own.
      let fault: unknown = badBody('The parameters of the request are not valid.', -32602);
      const failed = (thrown: unknown): void => {
        if (!isAgentError(thrown)) context.report(`${endpoint}: ${reasonOf(thrown)}`);
        fault = thrown;
      };
      const handler = createTaskHandler({ context, caller, signal, url, failed });
      const isLegacy = String(body['method']).includes('/');
      const transport = isLegacy
        ? new LegacyJsonRpcTransportHandler(handler)
        : new JsonRpcTransportHandler(handler);
      const requestedVersion = isLegacy ? '0.3' : '1.0';
      const answer: unknown = await transport.handle(body, new ServerCallContext({ requestedVersion }));
      const { id = null } = body;
      const errorLine = (): object => ({ jsonrpc: '2.0', id, error: rpcError(toErrorData(fault)) });
      if (!isStream(answer)) return Response.json(isFault(answer) ? errorLine() : answer);
      return streamText(linesOf(answer, errorLine), { ping: ': ping\n\n', onGone: () => gone.abort() });
    },
  };
}

/** Whether a call failed here, not in the reading of the package, which has errors of its own. */
function isFault(answer: unknown): boolean {
  const { error } = answer as { readonly error?: { readonly code?: unknown } };
  return error !== undefined && !packageErrors.includes(error.code);
}

const packageErrors: readonly unknown[] = [-32700, -32600, -32601];

async function* linesOf(
  answer: AsyncIterable<unknown>,
  errorLine: () => object,
): AsyncGenerator<string, void> {
  try {
    for await (const response of answer) yield `data: ${JSON.stringify(response)}\n\n`;
  } catch {
    yield `data: ${JSON.stringify(errorLine())}\n\n`;
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

/** Adds the fields with which clients of version 0.3 find the endpoint. */
function cardJson(card: unknown, url: string): object {
  return { ...(card as object), url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' };
}

function readBody(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badBody('The body of the request is not valid JSON.', -32700);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw badBody('The body of the request must be one JSON-RPC request.', -32600);
}

function badBody(message: string, rpc: number): AgentError {
  return new AgentError('usage.bad-input', message, {
    hint: 'Send a JSON-RPC 2.0 request.',
    details: { rpc },
  });
}

function mustHave(request: Request, method: string): void {
  if (request.method === method) return;
  throw new AgentError('usage.bad-input', `The path does not support ${request.method.slice(0, 20)}.`, {
    hint: `Use ${method}.`,
    details: { status: 405 },
  });
}
