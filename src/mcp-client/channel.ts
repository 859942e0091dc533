import type * as Client from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import type { ServerEndpoint } from '../core/index.ts';
import { readNpx } from './npx.ts';

/** A server that runs as a local process. */
export type StdioEndpoint = Extract<ServerEndpoint, { readonly kind: 'stdio' }>;

/** A server that is reached over HTTP. */
export type HttpEndpoint = Extract<ServerEndpoint, { readonly kind: 'http' }>;

/** The transport of one connection to a server. */
export interface Channel {
  readonly transport: Transport;
  /**
   * Sets whether the connection keeps this process alive. The default is true. Has no effect on transports
   * that never keep a process alive.
   */
  hold(holds: boolean): void;
  /** The access tokens that the server has issued so far. */
  tokens(): readonly string[];
  /** Returns details about a connection that has ended or does not respond. */
  failureDetails(): Promise<FailureDetails>;
  /** Closes the connection, and stops the server if this process started it. */
  close(): Promise<void>;
}

/** Details about a failed server, for its error message. */
export interface FailureDetails {
  /**
   * The way in which the server's process ended. Absent if the process is still running or the server has no
   * process.
   */
  readonly end?: { readonly exitCode: number | null; readonly over?: 'memory' | 'processes' };
  /** The reason why the server ended: one line from its stderr, without secrets. */
  readonly reason?: string;
  /** The end of the server's stderr, without secrets. */
  readonly stderr?: string;
  /** The first text on stdout that is not a protocol message. */
  readonly noise?: string;
  /** The access tokens to redact in messages. */
  readonly tokens?: readonly string[];
}

/** The MCP client library, which is loaded when a server is first used. */
export type Sdk = typeof Client;

/**
 * Returns a server's program or address for display. Omits arguments and query strings, which may contain
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
