import type * as Client from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import type { ServerEndpoint } from '../core/index.ts';
import { readNpx } from './npx.ts';

/** A server that runs as a local process. */
export type StdioEndpoint = Extract<ServerEndpoint, { readonly kind: 'stdio' }>;

/** A server reached over HTTP. */
export type HttpEndpoint = Extract<ServerEndpoint, { readonly kind: 'http' }>;

/** The transport of one connection to a server. */
export interface Channel {
  readonly transport: Transport;
  /**
   * Sets whether the connection keeps this process alive. The default is true. Has no effect on transports
   * that cannot do so.
   */
  hold(holds: boolean): void;
  /** The access tokens that the server has issued so far. */
  tokens(): readonly string[];
  /** Returns details about a connection that ended or does not respond. */
  failureDetails(): Promise<FailureDetails>;
  /** Closes the connection. Stops the server if this process started it. */
  close(): Promise<void>;
}

/** Details about a failed server, for its error message. */
export interface FailureDetails {
  /** The end of the server's process. Absent if it is running or if the server has no process. */
  readonly end?: { readonly exitCode: number | null; readonly over?: 'memory' | 'processes' };
  /** Why the server ended, as one line from its stderr without secrets. */
  readonly reason?: string;
  /** The end of the server's stderr, without secrets. */
  readonly stderr?: string;
  /** The first text on stdout that is not a protocol message. */
  readonly noise?: string;
  /** Tokens to redact in messages. */
  readonly tokens?: readonly string[];
}

/** The client library for MCP, which is loaded when a server is first used. */
export type Sdk = typeof Client;

/**
 * Returns the program or address of a server for display. Omits arguments and queries, which may contain
 * secrets.
 */
export function describeEndpoint(endpoint: ServerEndpoint): string {
  if (endpoint.kind === 'http') {
    const { origin, pathname } = new URL(endpoint.url);
    return `${origin}${pathname}`;
  }
  const npx = endpoint.command === 'npx' ? readNpx(endpoint.args) : undefined;
  return npx === undefined ? endpoint.command : `npx ${npx.package}`;
}
