import type * as Client from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import type { ServerEndpoint } from '../core/index.ts';
import { readNpx } from './npx.ts';

/** A server that runs as a local process. */
export type StdioEndpoint = Extract<ServerEndpoint, { readonly kind: 'stdio' }>;

/** A server reached over HTTP. */
export type HttpEndpoint = Extract<ServerEndpoint, { readonly kind: 'http' }>;

/** The transport for one connection to a server. */
export interface Channel {
  readonly transport: Transport;
  /** Sets whether the connection keeps this process alive, if the transport supports it. Default: true. */
  hold(holds: boolean): void;
  /** The tokens obtained for the server so far. */
  tokens(): readonly string[];
  /** Returns details about a connection that has ended or does not respond. */
  failureDetails(): Promise<FailureDetails>;
  /** Closes the connection, and stops the server if this process started it. */
  close(): Promise<void>;
}

/** Diagnostics of a failed server. */
export interface FailureDetails {
  /** The exit of the server's process. Absent while it runs or if the server has no process. */
  readonly end?: { readonly exitCode: number | null; readonly over?: 'memory' | 'processes' };
  /** The reason the server exited: one line from its stderr, with secrets redacted. */
  readonly reason?: string;
  /** The last part of the server's stderr, with secrets redacted. */
  readonly stderr?: string;
  /** The first output on stdout that is not a protocol message. */
  readonly noise?: string;
  /** Tokens that must not appear in messages. */
  readonly tokens?: readonly string[];
}

/** The protocol's client library. It is loaded when a server is first used. */
export type Sdk = typeof Client;

/** Describes a server for users by its program or address, without arguments, queries or possible secrets. */
export function describeEndpoint(endpoint: ServerEndpoint): string {
  if (endpoint.kind === 'http') {
    const { origin, pathname } = new URL(endpoint.url);
    return `${origin}${pathname}`;
  }
  const npx = endpoint.command === 'npx' ? readNpx(endpoint.args) : undefined;
  return npx === undefined ? endpoint.command : `npx ${npx.package}`;
}
