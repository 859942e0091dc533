import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationResponse,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { compileCache } from '../support/compile-cache.ts';
import { installedMain } from '../support/installed.ts';

/** What an editor does when it is asked. */
export interface EditorAnswers {
  readonly capabilities?: ClientCapabilities;
  readonly permission?: (request: RequestPermissionRequest) => RequestPermissionResponse;
  readonly form?: (message: string) => CreateElicitationResponse;
}

/** An editor that runs `skilled acp` of the installed package, with the official client. */
export interface TestEditor extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly greeting: InitializeResponse;
  /** All updates so far, in order. */
  readonly updates: SessionUpdate[];
  readonly permissions: RequestPermissionRequest[];
  err(): string;
  /** Kills the process at once. */
  kill(): Promise<void>;
}

/** Starts the command in a folder and connects to it. */
export async function openEditor(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  { capabilities = {}, permission, form }: EditorAnswers = {},
): Promise<TestEditor> {
  const child = spawn(process.execPath, [installedMain, 'acp', ...args], {
    cwd,
    env: { ...compileCache(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.on('error', () => undefined); // The process may have exited.
  const exited = once(child, 'exit');
  const updates: SessionUpdate[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      permissions.push(params);
      return permission?.(params) ?? { outcome: { outcome: 'cancelled' } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }): CreateElicitationResponse => {
      return form?.(params.message) ?? { action: 'cancel' };
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  const { agent } = connection;
  const greeting = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  });
  return {
    agent,
    greeting,
    updates,
    permissions,
    err: () => err,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Returns the text that the updates of one kind contain. */
export function textIn(updates: readonly SessionUpdate[], kind: SessionUpdate['sessionUpdate']): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === kind && 'content' in update && isText(update.content)
        ? [update.content.text]
        : [],
    )
    .join('');
}

function isText(content: unknown): content is { readonly text: string } {
  return typeof (content as { readonly text?: unknown } | null)?.text === 'string';
}
