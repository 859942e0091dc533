import type { Client } from '@modelcontextprotocol/client';
import { AgentError } from '../../core/error.ts';
import { untilAborted } from '../../core/async.ts';
import { jsonOf } from '../json-of.ts';

const most = 16 * 1024 * 1024; // characters of JSON

/** Asks a server for a list that the library reads page by page; throws `server.failed` where all of them together are too much. */
export async function withinSize<Result>(
  { transport }: Client,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (transport === undefined) return ask(signal);
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const hear = transport.onmessage;
  let size = 0;
  transport.onmessage = (message, extra) => {
    size += jsonOf(message).length;
    if (size > most) stop.abort(tooMuch());
    else hear?.(message, extra);
  };
  try {
    return await untilAborted(until, ask(until));
  } finally {
    transport.onmessage = hear;
  }
}

function tooMuch(): AgentError {
  return new AgentError('server.failed', `The list of skills has more than ${most / 1024 / 1024} MB.`, {
    hint: 'The server has to offer fewer.',
  });
}
