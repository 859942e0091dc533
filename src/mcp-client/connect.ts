import type {
  Client,
  JSONRPCMessage,
  JsonSchemaType,
  JsonSchemaValidator,
  Transport,
  VersionNegotiationMode,
  jsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { pause, stopLate, untilAborted, type AgentError, type ServerEndpoint } from '../core/index.ts';
import type { Channel, FailureDetails, Sdk } from './channel.ts';
import { openHttpTransport } from './http-transport.ts';
import { BrokenAnswer, jsonOf } from './messages.ts';
import { networkCode, serverFault } from './server-fault.ts';
import { openSandboxTransport } from './stdio-transport.ts';

const retryDelays = [200, 800, 2000]; // The delay before each retry, in milliseconds.

/**
 * Connects to a server and retries after temporary failures. Throws the last failure, or the abort reason if
 * the signal aborts.
 */
export async function connectPatiently(
  endpoint: ServerEndpoint,
  signal: AbortSignal,
): Promise<ServerConnection> {
  for (let tried = 0; ; tried++) {
    const attempt = await connect(endpoint, signal);
    if (!('fault' in attempt)) return attempt;
    const delay = retryDelays[tried];
    if (tried >= attempt.retries || delay === undefined) throw attempt.fault;
    await pause(delay, signal);
    signal.throwIfAborted();
  }
}

/** A connected server. */
export interface ServerConnection {
  readonly client: Client;
  readonly channel: Channel;
  /** Whether the connection has ended. */
  isOver(): boolean;
  /** Whether the server has assigned a session to the connection. */
  hasSession(): boolean;
  /**
   * Returns the number of times that the server has announced a change of its tools, or undefined if it does
   * not announce changes.
   */
  changes(): number | undefined;
}

/** A failed attempt to connect. */
interface NotConnected {
  readonly fault: AgentError;
  /** The maximum number of retries. Zero if retrying cannot help. */
  readonly retries: number;
}

/**
 * Makes one attempt to connect to a server. Cleans up if the attempt fails. Throws only the abort reason of
 * the signal.
 */
async function connect(
  endpoint: ServerEndpoint,
  signal: AbortSignal,
): Promise<ServerConnection | NotConnected> {
  // Each attempt to connect to a stdio server needs a new process, so the older protocol version is tried
  // first.
  const [first, second] =
    endpoint.kind === 'stdio' ? (['legacy', 'auto'] as const) : (['auto', 'legacy'] as const);
  const attempt = await connectAs(endpoint, first, signal);
  if (!('fault' in attempt) || !attempt.isOtherVersion) return attempt;
  const other = await connectAs(endpoint, second, signal);
  return 'fault' in other && endpoint.kind === 'stdio' ? attempt : other;
}

async function connectAs(
  endpoint: ServerEndpoint,
  mode: VersionNegotiationMode,
  signal: AbortSignal,
): Promise<ServerConnection | (NotConnected & { readonly isOtherVersion: boolean })> {
  const sdk = await import('@modelcontextprotocol/client');
  const channel = await (endpoint.kind === 'stdio'
    ? openSandboxTransport(endpoint)
    : openHttpTransport(endpoint));
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
    const connecting = client.connect(channel.transport, { signal, timeout: endpoint.timeoutMs });
    await untilAborted(signal, connecting);
    hideTokens(channel);
    const { autoOpenedSubscription } = client;
    void autoOpenedSubscription?.closed.then(() => (news.isDeaf = true));
    const hasListChanged = client.getServerCapabilities()?.tools?.listChanged === true;
    const isDeaf =
      hasListChanged && client.getProtocolEra() === 'modern' && autoOpenedSubscription === undefined;
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
    const details = await channel.failureDetails();
    return {
      fault: serverFault(thrown, endpoint, details, sdk),
      retries: mayPass(thrown, details, sdk),
      isOtherVersion: isOtherVersion(thrown, sdk),
    };
  }
}

/** Whether an error means that the server requires another protocol version. */
function isOtherVersion(thrown: unknown, { ProtocolError, SdkError, SdkErrorCode }: Sdk): boolean {
  if (thrown instanceof ProtocolError) return !(thrown.data instanceof BrokenAnswer);
  if (thrown instanceof SdkError) return thrown.code === SdkErrorCode.EraNegotiationFailed;
  return thrown instanceof Error && thrown.message.includes('protocol version is not supported');
}

const maxRetries = 3;
const passingCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EPIPE',
  'UND_ERR_SOCKET',
]);
const passingStatuses = new Set([429, 502, 503, 504]);

/**
 * Returns the number of times to retry after a failure. A server that exited by itself is retried once, and a
 * failure that a retry cannot fix is not retried.
 */
function mayPass(thrown: unknown, { end }: FailureDetails, sdk: Sdk): number {
  const { SdkError, SdkErrorCode, SdkHttpError, ProtocolError } = sdk;
  // After a timeout, the client has already terminated the server's process.
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) return 0;
  if (end !== undefined) return end.over === undefined ? 1 : 0;
  if (thrown instanceof SdkHttpError) return passingStatuses.has(thrown.status) ? maxRetries : 0;
  if (thrown instanceof ProtocolError && thrown.data instanceof BrokenAnswer) {
    return thrown.data.kind === 'lost' ? maxRetries : 0;
  }
  return passingCodes.has(networkCode(thrown) ?? '') ? maxRetries : 0;
}

const maxPendingAnswers = 100;

/**
 * Limits the number of pending replies, because a server that does not read its replies could fill this
 * process's memory.
 */
function boundAnswers(transport: Transport): void {
  const send = transport.send.bind(transport);
  let waiting = 0;
  transport.send = async (message, options) => {
    if (Array.isArray(message) || 'method' in message) return send(message, options);
    if (waiting >= maxPendingAnswers) return;
    waiting++;
    try {
      await send(message, options);
    } finally {
      waiting--;
    }
  };
}

const patience = 1000; // The time limit for validation, in milliseconds.

/**
 * Creates the validator that the client library uses for structured content. Validation has a time limit,
 * because both the schema and the content come from the server.
 */
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

/**
 * Redacts a server's access tokens in all messages that it sends from now on. The general redaction does not
 * cover these tokens, because they are not in the settings.
 */
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
