import type {
  Client,
  JSONRPCMessage,
  JsonSchemaType,
  JsonSchemaValidator,
  Transport,
  VersionNegotiationMode,
  jsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { pause, stopLate, untilAborted, type AgentError, type ServerPlace } from '../core/index.ts';
import type { Channel, LastWords, Sdk } from './channel.ts';
import { openHttpTransport } from './http-transport.ts';
import { BrokenAnswer, jsonOf } from './messages.ts';
import { networkCode, serverFault } from './server-fault.ts';
import { openSandboxTransport } from './stdio-transport.ts';

const retryDelays = [200, 800, 2000]; // milliseconds

/** Connects with a server, and tries again where what went wrong may pass; throws why it came to nothing, or the signal's reason. */
export async function connectPatiently(place: ServerPlace, signal: AbortSignal): Promise<ServerConnection> {
  for (let tried = 0; ; tried++) {
    const attempt = await connect(place, signal);
    if (!('fault' in attempt)) return attempt;
    const delay = retryDelays[tried];
    if (tried >= attempt.retries || delay === undefined) throw attempt.fault;
    await pause(delay, signal);
    signal.throwIfAborted();
  }
}

/** A server that answers. */
export interface ServerConnection {
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
interface NotConnected {
  readonly fault: AgentError;
  /** How often it is worth trying again. */
  readonly retries: number;
}

/** Connects with a server, once; whatever is left of an attempt that failed is taken away. Throws only the signal's reason. */
async function connect(place: ServerPlace, signal: AbortSignal): Promise<ServerConnection | NotConnected> {
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
): Promise<ServerConnection | (NotConnected & { readonly isOtherVersion: boolean })> {
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

const mostRetries = 3;
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
function mayPass(thrown: unknown, { end }: LastWords, sdk: Sdk): number {
  const { SdkError, SdkErrorCode, SdkHttpError, ProtocolError } = sdk;
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) return 0; // its process was ended by us
  if (end !== undefined) return end.over === undefined ? 1 : 0;
  if (thrown instanceof SdkHttpError) return passingStatuses.has(thrown.status) ? mostRetries : 0;
  if (thrown instanceof ProtocolError && thrown.data instanceof BrokenAnswer) {
    return thrown.data.kind === 'lost' ? mostRetries : 0;
  }
  return passingCodes.has(networkCode(thrown) ?? '') ? mostRetries : 0;
}

const mostPendingAnswers = 100;

/** Leaves questions of a server unanswered while it has not taken so many answers yet: else it could fill our memory with them. */
function boundAnswers(transport: Transport): void {
  const send = transport.send.bind(transport);
  let waiting = 0;
  transport.send = async (message, options) => {
    if (Array.isArray(message) || 'method' in message) return send(message, options);
    if (waiting >= mostPendingAnswers) return;
    waiting++;
    try {
      await send(message, options);
    } finally {
      waiting--;
    }
  };
}

const patience = 1000; // milliseconds

/** The library's own check of structured content; the schema and the content are both the server's, so it is given up where it does not end. */
async function createOutputCheck(): Promise<jsonSchemaValidator> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  const plain = new AjvJsonSchemaValidator();
  return {
    getValidator<Value>(schema: JsonSchemaType): JsonSchemaValidator<Value> {
      const check = stopLate(patience, () => plain.getValidator<Value>(schema));
      return (content) => stopLate(patience, () => check(content));
    },
  };
}

/** Takes the tokens that a server was given out of all that it says from now on: settings do not know them, so nothing else would. */
function hideTokens({ transport, tokens }: Pick<Channel, 'transport' | 'tokens'>): void {
  const hear = transport.onmessage;
  transport.onmessage = (message, extra) => hear?.(withoutTokens(message, tokens()), extra);
}

function withoutTokens<Message extends JSONRPCMessage>(message: Message, tokens: readonly string[]): Message {
  if (tokens.length === 0) return message;
  const said = jsonOf(message);
  const forms = tokens.map((token) => JSON.stringify(token).slice(1, -1));
  if (!forms.some((form) => said.includes(form))) return message;
  const clean = forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), said);
  return JSON.parse(clean) as Message;
}
