import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import { createServer as createInternal, type AgentServer, type ServerOptions } from './create-server.ts';

/**
 * The agent to serve: what `createAgent` or `new RecursiveSkilledAgent` returns. The type is structural, because
 * this entry has declarations of its own.
 */
export interface ServableAgent {
  readonly runs: object;
  readonly skills: object;
  readonly families: readonly object[];
  run(request: { readonly prompt: string }): { readonly id: string };
  shutdown(): Promise<void>;
}

/**
 * Creates a server for an agent: a standard `fetch` handler, a listener for `node:http`, and `listen`. It opens
 * no port before `listen`.
 */
export function createServer(agent: ServableAgent, options: ServerOptions = {}): AgentServer {
  return createInternal(agent as BareAgent, options);
}

export type { AgentServer, ServerOptions };
export type { BodyLimits } from './body.ts';
export type { OidcOptions } from './keys/oidc.ts';
export type { KeyScope, RequestRate } from './keys/principal.ts';
export type { ListenOptions, Listening } from './node-listener.ts';
