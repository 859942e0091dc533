import { createHash } from 'node:crypto';
import { AgentError, type Json } from '../../core/index.ts';
import type { OpenAiCall } from './request.ts';

/**
 * Answers a request once per `Idempotency-Key`, if it has one. A repetition gets the answer of the first request.
 * Streams and errors are not kept, so their key can be used again.
 */
export async function runOnce(
  call: OpenAiCall,
  answer: (call: OpenAiCall) => Promise<Response>,
): Promise<Response> {
  const { context, caller, request } = call;
  const key = request.headers.get('idempotency-key');
  if (key === null) return await answer(call);
  const text = await request.clone().text();
  const { pathname } = new URL(request.url);
  const digest = createHash('sha256').update(`${request.method} ${pathname}\n${text}`).digest('hex');
  const beginning = await context.idempotency.begin(caller.principal, key, digest, request.signal);
  if (beginning.kind === 'conflict')
    throw new AgentError('usage.conflict', 'Another request used this Idempotency-Key with another body.', {
      hint: 'Use a new key for each request.',
    });
  if (beginning.kind === 'replay') {
    const { status, headers, body } = beginning.answer;
    return Response.json(body, { status, headers: { ...headers, 'idempotency-replayed': 'true' } });
  }
  try {
    const response = await answer(call);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream || !response.ok) {
      await beginning.request.abandon();
      return response;
    }
    const body = (await response.clone().json()) as Json;
    await beginning.request.finish({ status: response.status, headers: {}, body });
    return response;
  } catch (thrown) {
    await beginning.request.abandon();
    throw thrown;
  }
}
