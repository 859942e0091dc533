import { randomBytes } from 'node:crypto';
import { AgentError } from '../core/error.ts';

/** The secret that clients over HTTP must know. */
export interface McpToken {
  readonly text: string;
  /** Nobody chose it, so whoever starts the server must be told. */
  readonly isNew: boolean;
}

const shortest = 16;

/** The token that the environment names, else one for this time alone; one that could be guessed is `usage.bad-input`. */
export function mcpToken(environment: Readonly<Record<string, string | undefined>> = process.env): McpToken {
  const given = environment['SKILLED_MCP_TOKEN']?.trim() ?? '';
  if (given === '') return { text: randomBytes(24).toString('base64url'), isNew: true };
  if (given.length >= shortest) return { text: given, isNew: false };
  throw new AgentError('usage.bad-input', 'The token in SKILLED_MCP_TOKEN is too short.', {
    hint: `Use at least ${shortest} characters, as openssl rand -hex 24 makes.`,
  });
}
