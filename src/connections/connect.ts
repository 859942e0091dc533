import type { Client, VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { AgentError } from '../core/error.ts';
import { untilAborted } from '../core/async.ts';
import type { ServerPlace } from '../core/servers/tool-server.ts';
import { boundAnswers } from './bound-answers.ts';
import { BrokenAnswer } from './broken-answer.ts';
import type { Channel } from './channel.ts';
import type { Sdk } from './sdk.ts';
import { hideTokens } from './hide-tokens.ts';
import { openHttpTransport } from './http-transport.ts';
import { openSandboxTransport } from './sandbox-transport.ts';
import { mayPass } from './may-pass.ts';
import { createOutputCheck } from './output-check.ts';
import { serverFault } from './server-fault.ts';

/** A server that answers. */
export interface Connection {
  readonly client: Client;
  readonly channel: Channel;
  /** Whether nothing can be asked there any more. */
  isOver(): boolean;
  /** Whether the server knows this connection by a session of its own. */
  hasSession(): boolean;
  /** Counts how often the server said that its tools changed; undefined where it would not be heard. */
  changes(): number | undefined;
}

/** A connection that did not come to be. */
export interface NotConnected {
  readonly fault: AgentError;
  /** How often it is worth trying again. */
  readonly retries: number;
}

/** Connects with a server, once; whatever is left of an attempt that failed is taken away. Throws only the signal's reason. */
export async function connect(place: ServerPlace, signal: AbortSignal): Promise<Connection | NotConnected> {
  // Old servers are asked first where a second question would be a second process.
  const [first, second] =
    place.kind === 'stdio' ? (['legacy', 'auto'] as const) : (['auto', 'legacy'] as const);
  const attempt = await connectAs(place, first, signal);
  if (!('fault' in attempt) || !attempt.isOtherVersion) return attempt;
  const other = await connectAs(place, second, signal);
  return 'fault' in other && place.kind === 'stdio' ? attempt : other;
}

async function connectAs(
  place: ServerPlace,
  mode: VersionNegotiationMode,
  signal: AbortSignal,
): Promise<Connection | (NotConnected & { readonly isOtherVersion: boolean })> {
  const sdk = await import('@modelcontextprotocol/client');
  const channel = await (place.kind === 'stdio' ? openSandboxTransport(place) : openHttpTransport(place));
  boundAnswers(channel.transport);
  const news = { changes: 0, isOver: false, isDeaf: false };
  const onChanged = (): number => news.changes++;
  const client = new sdk.Client(
    { name: 'skilled', version: '1' },
    {
      capabilities: {},
      versionNegotiation: { mode },
      jsonSchemaValidator: await createOutputCheck(),
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    },
  );
  client.setNotificationHandler('notifications/tools/list_changed', () => void onChanged());
  client.onclose = () => (news.isOver = true);
  try {
    const connecting = client.connect(channel.transport, { signal, timeout: place.timeoutMs });
    await untilAborted(signal, connecting);
    hideTokens(channel);
    const { autoOpenedSubscription } = client;
    void autoOpenedSubscription?.closed.then(() => (news.isDeaf = true));
    const tells = client.getServerCapabilities()?.tools?.listChanged === true;
    const isDeaf = tells && client.getProtocolEra() === 'modern' && autoOpenedSubscription === undefined;
    return {
      client,
      channel,
      isOver: () => news.isOver,
      hasSession: () => channel.transport.sessionId !== undefined,
      changes: () => (news.isDeaf || isDeaf ? undefined : news.changes),
    };
  } catch (thrown) {
    await channel.close();
    signal.throwIfAborted();
    const words = await channel.lastWords();
    return {
      fault: serverFault(thrown, place, words, sdk),
      retries: mayPass(thrown, words, sdk),
      isOtherVersion: isOtherVersion(thrown, sdk),
    };
  }
}

/** Whether a server was understood, but wants another version of the protocol. */
function isOtherVersion(thrown: unknown, { ProtocolError, SdkError, SdkErrorCode }: Sdk): boolean {
  if (thrown instanceof ProtocolError) return !(thrown.data instanceof BrokenAnswer);
  if (thrown instanceof SdkError) return thrown.code === SdkErrorCode.EraNegotiationFailed;
  return thrown instanceof Error && thrown.message.includes('protocol version is not supported');
}
