import { AgentError } from '../../core/index.ts';

const most = 1 << 26; // bytes; the longest answer of any model, one token at a time, is a fraction of it

/**
 * The `fetch` that providers are asked with. What comes is bounded, because packages keep all of it; a redirect is
 * refused, because the prompt and a key in a header of its own would follow it to whatever host it names.
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
  const message = `The model sent more than ${most.toLocaleString('en')} bytes and was cut off.`;
  return new AgentError('limit.too-large', message, {
    hint: 'Check the address of the provider, or choose another model.',
    details: { passing: false },
  });
}

function leadsElsewhere({ url, headers }: Response): AgentError {
  const target = URL.parse(headers.get('location') ?? '', url)?.origin ?? 'nowhere';
  return new AgentError(
    'model.unavailable',
    `${new URL(url).origin} leads to ${target}, which is not followed.`,
    {
      hint: 'Give the address of the provider that is meant.',
      details: { passing: false },
    },
  );
}
