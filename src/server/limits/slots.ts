import { AgentError } from '../../core/index.ts';
import type { Principal } from '../keys/principal.ts';

/** Limits how many things of one kind are in progress, in total and for each key. It never queues. */
export interface Slots {
  /**
   * Takes a slot. Dispose the result to free the slot. If there is none, returns `limit.busy` at once: respond
   * with status 429 if `details.of` is `key`, and with 503 if it is `server`.
   */
  enter(principal: Pick<Principal, 'keyId' | 'keyName'>, perKey?: number): Disposable | AgentError;
  /** The number of taken slots. */
  readonly taken: number;
}

/** The number of slots. */
export interface SlotLimits {
  /** The things in progress, as a noun in the plural, such as `runs`. */
  readonly what: string;
  /** The maximum in this process. */
  readonly total: number;
  /** The maximum for a key that has no limit of its own. Default: `total`. */
  readonly perKey?: number;
}

/** Creates the slots of one server process. */
export function createSlots({ what, total, perKey: usual = total }: SlotLimits): Slots {
  const byKey = new Map<string, number>();
  let taken = 0;
  return {
    enter({ keyId, keyName }, perKey = usual) {
      const own = byKey.get(keyId) ?? 0;
      if (own >= perKey) return busy(`The key "${keyName}" already has ${own} ${what} in progress.`, 'key');
      if (taken >= total) return busy(`The server already has ${taken} ${what} in progress.`, 'server');
      taken += 1;
      byKey.set(keyId, own + 1);
      let isFree = false;
      return {
        [Symbol.dispose]() {
          if (isFree) return;
          isFree = true;
          taken -= 1;
          const left = (byKey.get(keyId) ?? 1) - 1;
          if (left === 0) byKey.delete(keyId);
          else byKey.set(keyId, left);
        },
      };
    },
    get taken() {
      return taken;
    },
  };
}

function busy(message: string, of: 'key' | 'server'): AgentError {
  return new AgentError('limit.busy', message, {
    hint: 'Wait until one of them has ended, and send the request again.',
    details: { of },
  });
}

/** Frees a slot when the body of a response has been sent, or when the client is gone. */
export function freeingAtEnd(response: Response, slot: Disposable): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) {
    slot[Symbol.dispose]();
    return response;
  }
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
      } catch (thrown) {
        slot[Symbol.dispose]();
        throw thrown;
      }
      slot[Symbol.dispose]();
      controller.close();
    },
    async cancel(reason) {
      slot[Symbol.dispose]();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
