import { BrokenAnswer } from './broken-answer.ts';
import type { LastWords } from './channel.ts';
import { networkCode } from './network-code.ts';
import type { Sdk } from './sdk.ts';

const most = 3;
const passingCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EPIPE',
  'UND_ERR_SOCKET',
]);
const passingStatuses = new Set([429, 502, 503, 504]);

/** How often a connection that failed so is worth trying again: a network may come back, a process that ends will mostly do so again. */
export function mayPass(thrown: unknown, { end }: LastWords, sdk: Sdk): number {
  const { SdkError, SdkErrorCode, SdkHttpError, ProtocolError } = sdk;
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) return 0; // its process was ended by us
  if (end !== undefined) return end.over === undefined ? 1 : 0;
  if (thrown instanceof SdkHttpError) return passingStatuses.has(thrown.status) ? most : 0;
  if (thrown instanceof ProtocolError && thrown.data instanceof BrokenAnswer) {
    return thrown.data.kind === 'lost' ? most : 0;
  }
  return passingCodes.has(networkCode(thrown) ?? '') ? most : 0;
}
