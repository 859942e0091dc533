import { AgentError } from '../../core/index.ts';

// The maximum response size in bytes. Even the longest response, streamed token by token, is much smaller.
const most = 1 << 26;

/**
 * The `fetch` function for provider requests. Limits the size of a response, because the providers' packages
 * keep it in memory. Rejects redirects, because the new host would receive the prompt and any key in a custom
 * header.
 */
export async function providerFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { status, statusText, headers, body } = response;
  if (status >= 300 && status <= 399) {
    await body?.cancel();
    throw leadsElsewhere(response);
  }
  if (body === null) return response;
  return new Response(body.pipeThrough(boundedBy(most)), { status, statusText, headers });
}

function boundedBy(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) controller.error(tooLong());
      else controller.enqueue(chunk);
    },
  });
}

function tooLong(): AgentError {
  const message = `The model's response exceeded ${most.toLocaleString('en')} bytes and was cut off.`;
  return new AgentError('limit.too-large', message, {
    hint: 'Check the address of the provider, or choose another model.',
    details: { passing: false },
  });
}

function leadsElsewhere({ url, headers }: Response): AgentError {
  const target = URL.parse(headers.get('location') ?? '', url)?.origin ?? 'nowhere';
  return new AgentError(
    'model.unavailable',
    `${new URL(url).origin} redirects to ${target}. Redirects are not followed.`,
    {
      hint: 'Set the correct address for the provider.',
      details: { passing: false },
    },
  );
}
