import { AgentError } from '../core/error.ts';
import { optional } from '../core/collections.ts';
import type { ServerPlace } from '../core/servers/tool-server.ts';
import type { LastWords } from './channel.ts';
import { readNpx } from './npx-words.ts';

/** That a server went away, with the reason that it printed. */
export function endedFault(place: ServerPlace, words: LastWords): AgentError {
  const { end, reason } = words;
  const how = end === undefined ? 'went away' : end.over === undefined ? `ended${codeOf(end)}` : 'was killed';
  const last = reason === undefined ? '.' : `: ${reason}`;
  const message = `The server "${place.name}" ${how}${end?.over === undefined ? last : `: it used more ${wordFor[end.over]} than it may.`}`;
  return new AgentError('server.unreachable', message, optional('hint', hintFor(place, words)));
}

const wordFor = { memory: 'memory', processes: 'processes' } as const;

function codeOf({ exitCode }: NonNullable<LastWords['end']>): string {
  return exitCode === null ? '' : ` with exit code ${exitCode}`;
}

function hintFor(place: ServerPlace, { end, stderr = '' }: LastWords): string | undefined {
  if (place.kind === 'http') return 'Try again; it is reached anew.';
  if (end?.over !== undefined) return 'Ask it for less at a time.';
  const npx = place.command === 'npx' ? readNpx(place.args) : undefined;
  if (npx !== undefined && /npm (?:ERR!|error)|npx/i.test(stderr)) {
    return `Run "npm install ${npx.package}" in ${place.near.at(-1) ?? 'the workspace'}: it is not installed, and nothing is fetched in a sandbox without network.`;
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|getaddrinfo|fetch failed|name resolution/i.test(stderr)) {
    return `It reaches no host that was not granted: name them in "hosts" of the server "${place.name}".`;
  }
  if (
    /ENOENT|EACCES|EROFS|MODULE_NOT_FOUND|ERR_MODULE|no such file|: not found|permission denied|read-only/i.test(
      stderr,
    )
  ) {
    return `It sees no folder that was not granted: set "workspace" or "read" of the server "${place.name}".`;
  }
  return 'Start its command by hand to see what it says.';
}
