import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import {
  agent as createApp,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type PromptRequest,
  type PromptResponse,
} from '@agentclientprotocol/sdk';
import { optional, toErrorData, type LimitOptions, type RunUser } from '../core/index.ts';
import { EditorSessions, sessionPrefix, type OpenProject } from './editor-sessions.ts';
import { listSessions, replaySession } from './sessions.ts';
import { takeTurn } from './take-turn.ts';

/** Options for serving editors. */
export interface AcpOptions {
  /** The version reported to editors. */
  readonly version: string;
  readonly open: OpenProject;
  /** The user on whose behalf editors make requests. */
  readonly user?: RunUser;
  readonly limits?: LimitOptions;
}

/** An editor that is connected over two streams. */
export interface AcpConnection extends AsyncDisposable {
  /** Resolves when the editor closes the connection. */
  readonly ended: Promise<unknown>;
}

/** Serves one editor over two streams. Writes only protocol messages to the output. */
export function serveAcp(options: AcpOptions, input: Readable, output: Writable): AcpConnection {
  const sessions = new EditorSessions(options.open);
  const editor: { capabilities: ClientCapabilities } = { capabilities: {} };
  const { agent } = methods;

  const connection = createApp({ name: 'skilled' })
    .onRequest(agent.initialize, ({ params }) => {
      editor.capabilities = params.clientCapabilities ?? {};
      return describeAgent(params, options.version);
    })
    .onRequest(agent.session.new, ({ params, client }) =>
      reported(async () => {
        const { id } = await sessions.open(`${sessionPrefix}${randomUUID()}`, params, client);
        return { sessionId: id };
      }),
    )
    .onRequest(agent.session.load, ({ params, client }) =>
      reported(async () => {
        const { agent } = await sessions.open(params.sessionId, params, client);
        await replaySession(agent, client, params);
        return {};
      }),
    )
    .onRequest(agent.session.resume, ({ params, client }) =>
      reported(async () => {
        await sessions.open(params.sessionId, params, client);
        return {};
      }),
    )
    .onRequest(agent.session.list, ({ params: { cwd } }) =>
      reported(async () => {
        const folders = typeof cwd === 'string' ? [cwd] : sessions.folders;
        const list = async (folder: string) => listSessions(await sessions.agentFor(folder), folder);
        return { sessions: (await Promise.all(folders.map(list))).flat() };
      }),
    )
    .onRequest(agent.session.delete, ({ params: { sessionId } }) =>
      reported(async () => {
        const { agent } = sessions.get(sessionId);
        sessions.close(sessionId);
        await agent.deleteSession(sessionId);
      }),
    )
    .onRequest(agent.session.close, ({ params }) => sessions.close(params.sessionId))
    .onRequest(agent.session.prompt, ({ params, client }) =>
      reported(() => prompt(sessions, params, client, { ...options, ...editor })),
    )
    .onNotification(agent.session.cancel, ({ params }) => sessions.cancel(params.sessionId))
    .connect(
      ndJsonStream(
        Writable.toWeb(output) as WritableStream<Uint8Array>,
        Readable.toWeb(input) as ReadableStream<Uint8Array>,
      ),
    );

  return {
    ended: connection.closed,
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      connection.close();
    },
  };
}

function describeAgent({ protocolVersion }: InitializeRequest, version: string): InitializeResponse {
  return {
    protocolVersion: Math.min(protocolVersion, PROTOCOL_VERSION),
    agentInfo: { name: 'skilled', title: 'skilled', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
    },
    authMethods: [],
  };
}

async function prompt(
  sessions: EditorSessions,
  { sessionId, prompt: content }: PromptRequest,
  client: AgentContext,
  { capabilities, user, limits }: AcpOptions & { readonly capabilities: ClientCapabilities },
): Promise<PromptResponse> {
  const session = sessions.get(sessionId);
  if (session.turn !== undefined)
    throw RequestError.invalidRequest(undefined, 'The session is still working on the last prompt.');
  const turn = (session.turn = new AbortController());
  const { agent, cwd } = session;
  try {
    return await takeTurn(
      agent,
      { client, sessionId, cwd, capabilities },
      { content, signal: turn.signal, ...optional('user', user), ...optional('limits', limits) },
    );
  } finally {
    session.turn = undefined;
  }
}

const internalError = -32603;

/** Runs a request. An error becomes the protocol's error, with our code and hint as its data. */
async function reported<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof RequestError) throw thrown;
    const { message, ...data } = toErrorData(thrown);
    throw new RequestError(internalError, message, data);
  }
}
