import type * as Client from '@modelcontextprotocol/client';

/** The client library of the protocol; whoever needs it loads it when a server is first reached. */
export type Sdk = typeof Client;
