import type * as Client from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import type { ServerPlace } from '../core/index.ts';
import { readNpx } from './npx.ts';

/** A server that is started here. */
export type StdioPlace = Extract<ServerPlace, { readonly kind: 'stdio' }>;

/** A server that is reached over HTTP. */
export type HttpEndpoint = Extract<ServerPlace, { readonly kind: 'http' }>;

/** The way to a server, for one connection. */
export interface Channel {
  readonly transport: Transport;
  /** Whether it keeps this process alive, as it does at first, where that can be chosen. */
  hold(holds: boolean): void;
  /** Tokens that were got for the server meanwhile. */
  tokens(): readonly string[];
  /** What is known of a way that ended or gives no answer. */
  lastWords(): Promise<LastWords>;
  /** Ends the connection and, where it was started here, the server. */
  close(): Promise<void>;
}

/** What a server left behind. */
export interface LastWords {
  /** How its process ended; absent where it has none, or it goes on. */
  readonly end?: { readonly exitCode: number | null; readonly over?: 'memory' | 'processes' };
  /** Why it ended, on one line, from its stderr and without anything that looks like a secret. */
  readonly reason?: string;
  /** The end of what it said on stderr, without anything that looks like a secret. */
  readonly stderr?: string;
  /** The beginning of what it said on stdout that is no message. */
  readonly noise?: string;
  /** Tokens that it may tell, and nobody is to read. */
  readonly tokens?: readonly string[];
}

/** The client library of the protocol; whoever needs it loads it when a server is first reached. */
export type Sdk = typeof Client;

/** Where a server is, for people: the program or the address, without words, queries and names that could be secret. */
export function showPlace(place: ServerPlace): string {
  if (place.kind === 'http') {
    const { origin, pathname } = new URL(place.url);
    return `${origin}${pathname}`;
  }
  const npx = place.command === 'npx' ? readNpx(place.args) : undefined;
  return npx === undefined ? place.command : `npx ${npx.package}`;
}
