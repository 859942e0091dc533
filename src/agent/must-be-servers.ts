import { AgentError } from '../core/error.ts';
import type { Issue } from '../core/issue.ts';
import { isJsonObject } from '../core/json.ts';
import { isServerName, type ServerDescription } from '../core/servers/tool-server.ts';

/** Throws `usage.bad-input` for what describes no servers, which types alone do not keep away, and for servers that could not be named, or told apart. */
export function mustBeServers(servers: readonly ServerDescription[] = []): void {
  const given: unknown = servers;
  if (!Array.isArray(given)) throw noDescription('mcpServers is not a list.');
  const broken = servers.findIndex((server: unknown) => !isDescription(server));
  if (broken >= 0) throw noDescription(`Number ${broken + 1} of mcpServers does not describe a server.`);
  const names = servers.map(({ name }) => name);
  const wrong = names.find((name) => !isServerName(name));
  if (wrong !== undefined)
    throw new AgentError('usage.bad-input', `"${wrong}" is not the name of a server.`, {
      hint: 'Use letters, digits, hyphens and single underscores.',
    });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new AgentError('usage.bad-input', `There are two servers with the name "${twice}".`, {
      hint: 'Give each server a name of its own.',
    });
}

function isDescription(server: unknown): boolean {
  const { kind, command, args, env, url, headers } = (server ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'http') return typeof url === 'string' && isJsonObject(headers);
  return kind === 'stdio' && typeof command === 'string' && Array.isArray(args) && isJsonObject(env);
}

function noDescription(message: string): AgentError {
  return new AgentError('usage.bad-input', message, {
    hint: "Write [{ kind: 'stdio', name, command, args, env }], or [{ kind: 'http', name, url, headers }].",
  });
}

/** A finding for each server of the settings that does not count, because the options have one of its name. */
export function findHiddenServers(
  own: readonly ServerDescription[] = [],
  inSettings: readonly ServerDescription[] = [],
): readonly Issue[] {
  return inSettings
    .filter(({ name }) => own.some((other) => other.name === name))
    .map(({ name }) => ({
      level: 'warning',
      code: 'server.duplicate',
      message: `The server "${name}" is described twice; the one in the options counts.`,
      hint: 'Give one of them another name, or take it out.',
    }));
}
