import { AgentError } from '../core/error.ts';
import type { ServerPlace } from '../core/servers/tool-server.ts';
import { showPlace } from './shown-place.ts';

/** What the status of an answer means. */
export function httpFault(status: number, place: ServerPlace, says: string): AgentError {
  if (status === 401 || status === 403) return deniedFault(place, `HTTP ${status}.`);
  if (status >= 300 && status < 400) return movedFault(status, place, says);
  if (status === 404 || status === 405 || status === 410) {
    return new AgentError(
      'server.unreachable',
      `There is no server at ${showPlace(place)} for "${place.name}" (HTTP ${status}).`,
      {
        hint: 'Check its address: it is the one that speaks streamable HTTP, often ending in /mcp.',
      },
    );
  }
  if (status === 429 || status >= 500) {
    return new AgentError(
      'server.unreachable',
      `The server "${place.name}" cannot answer now (HTTP ${status}).`,
      {
        hint: 'Try again later.',
      },
    );
  }
  return new AgentError(
    'server.failed',
    `The server "${place.name}" refused the request (HTTP ${status}): ${says}`,
  );
}

/** That a server is somewhere else: what it gets of ours goes to no address that nobody wrote down. */
function movedFault(status: number, place: ServerPlace, says: string): AgentError {
  const [, to = 'another address'] = /(?:Redirect to|try) (\S+)/.exec(says) ?? [];
  return new AgentError(
    'server.unreachable',
    `The server "${place.name}" sends whoever asks at ${showPlace(place)} to ${to} (HTTP ${status}), which is not followed.`,
    { hint: 'If that is the right place, write it as the address of the server.' },
  );
}

/** That a server wants other credentials, and where they are set. */
export function deniedFault(place: ServerPlace, says: string): AgentError {
  const hasOAuth = place.kind === 'http' && place.oauth !== undefined;
  return new AgentError('server.denied', `The server "${place.name}" wants other credentials: ${says}`, {
    hint: hasOAuth
      ? `Correct "oauth" of the server "${place.name}" in settings.`
      : `Set "bearer", "headers" or "oauth" of the server "${place.name}" where it is described.`,
  });
}
