import type { Transport } from '@modelcontextprotocol/client';

const most = 100;

/** Leaves questions of a server unanswered while it has not taken so many answers yet: else it could fill our memory with them. */
export function boundAnswers(transport: Transport): void {
  const send = transport.send.bind(transport);
  let waiting = 0;
  transport.send = async (message, options) => {
    if (Array.isArray(message) || 'method' in message) return send(message, options);
    if (waiting >= most) return;
    waiting++;
    try {
      await send(message, options);
    } finally {
      waiting--;
    }
  };
}
