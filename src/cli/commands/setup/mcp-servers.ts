import { settingsSources, readLayers } from '../../../config/read/settings.ts';
import { configuredServers, type ConfiguredServer } from '../../../config/servers/read-servers.ts';
import { writtenEndpoint } from '../../../config/servers/report.ts';
import {
  AgentError,
  isHttpAddress,
  nearestNames,
  nearHint,
  optional,
  type JsonObject,
} from '../../../core/index.ts';
import { describeIssue } from '../../../doctor/report.ts';
import {
  mustBeFolder,
  oneLine,
  pasteable,
  pasteableRows,
  printJson,
  table,
  textFlag,
  type Invocation,
} from '../../command-kit.ts';
import { setSetting, unsetSetting } from '../config/write.ts';

/** Flags for `skilled mcp add` and `skilled mcp remove`. */
export const serverFlags = {
  env: { type: 'string', multiple: true },
  'bearer-env': { type: 'string' },
  workspace: { type: 'string' },
  hosts: { type: 'string', multiple: true },
  user: { type: 'boolean' },
  project: { type: 'boolean' },
  local: { type: 'boolean' },
} as const;

/** The help text for the flags of `skilled mcp add` and `skilled mcp remove`. */
export const serverFlagsHelp = `  --env <NAME>          add: pass this variable of the environment; NAME=text sets a text;
                        repeatable
  --bearer-env <NAME>   add: the variable with the token for an address
  --workspace <access>  add: let the server read or write the workspace: read or write
  --hosts <names>       add: hosts that the server may reach, separated with commas
  --user                add, remove: your own settings; the default, unless the project is
                        trusted
  --project             add, remove: .skilled/settings.json of the project
  --local               add, remove: .skilled/settings.local.json`;

/** The `skilled mcp` actions that read or change settings. Without an action, the command serves skills. */
export const serverActions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  add: addServer,
  list: listServers,
  remove: removeServer,
};

/** Adds a server to the settings: an address, or a command with its arguments. */
async function addServer(invocation: Invocation): Promise<number> {
  const [name, first, ...args] = invocation.args;
  if (name === undefined || first === undefined)
    throw new AgentError('usage.bad-input', 'Missing a name, or a command or address.', {
      hint: 'Run `skilled mcp add <name> <url>`, or `skilled mcp add <name> -- <command> <argument>...`.',
    });
  const before = serversOf(invocation).find(({ server }) => server.name === name);
  if (before !== undefined)
    throw new AgentError('usage.bad-input', `There already is a server "${name}" in ${before.file}.`, {
      hint: `Use another name, or first run \`skilled mcp remove ${name}\`.`,
    });
  const isAddress = isHttpAddress(first);
  if (isAddress && args[0] !== undefined)
    throw new AgentError('usage.bad-input', `Unexpected argument "${args[0]}" after the address.`, {
      hint: 'Leave it out.',
    });
  const where = isAddress ? { url: first } : { command: first, args };
  const value = JSON.stringify({ ...where, ...accessOf(invocation) });
  return setSetting({ ...invocation, args: [`mcpServers.${name}`, value] });
}

function accessOf({ own, lists }: Invocation): JsonObject {
  const env = (lists['env'] ?? []).map((given): [string, string | { env: string }] => {
    const [, name = given, text] = /^([^=]+)=([^]*)$/.exec(given) ?? [];
    return [name, text ?? { env: name }];
  });
  const hosts = (lists['hosts'] ?? []).flatMap((list) => list.split(',')).map((host) => host.trim());
  const bearer = textFlag(own, 'bearer-env');
  const workspace = textFlag(own, 'workspace');
  return {
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env) }),
    ...(hosts.length === 0 ? {} : { hosts }),
    ...optional('bearer', bearer === undefined ? undefined : { env: bearer }),
    ...optional('workspace', workspace),
  };
}

/** Prints the configured servers and the files that configure them. Does not start any server. */
function listServers(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  const { configured, issues } = readServers(invocation);
  const servers = configured.map(({ server, file }) => ({
    name: server.name,
    endpoint: writtenEndpoint(server),
    file,
  }));
  if (flags.json) printJson(terminal, { ok: true, servers });
  else if (servers.length > 0) {
    const rows = servers.map(({ name, endpoint, file }) => [name, endpoint, file].map((text) => ({ text })));
    terminal.out(table([{ title: 'NAME' }, { title: 'ENDPOINT' }, { title: 'FILE' }], rows, terminal));
  } else if (!flags.quiet)
    terminal.err(
      `${pasteableRows('No servers are configured. Add one: `skilled mcp add <name> <url>`', terminal)}\n`,
    );
  if (!flags.quiet && !flags.json)
    for (const issue of issues) terminal.err(`${pasteable(oneLine(describeIssue(issue)), terminal)}\n`);
  return Promise.resolve(0);
}

/** Removes a server from the settings file that configures it. */
function removeServer(invocation: Invocation): Promise<number> {
  const [name = ''] = invocation.args;
  const known = serversOf(invocation);
  const found = known.find(({ server }) => server.name === name);
  if (found === undefined) {
    const near = nearestNames(
      name,
      known.map(({ server }) => server.name),
    );
    throw new AgentError('usage.not-found', `There is no server "${name}".`, {
      hint: nearHint(near) ?? '`skilled mcp list` shows all servers.',
      details: { near: [...near] },
    });
  }
  if (found.file.endsWith('.mcp.json'))
    throw new AgentError(
      'usage.bad-input',
      `"${name}" is configured in ${found.file}, not in the settings.`,
      {
        hint: 'Remove it from that file.',
      },
    );
  return unsetSetting({ ...invocation, args: [`mcpServers.${name}`] });
}

function serversOf(invocation: Invocation): readonly ConfiguredServer[] {
  return readServers(invocation).configured;
}

function readServers({ flags }: Invocation): ReturnType<typeof configuredServers> {
  mustBeFolder(flags.cwd, '--cwd');
  const sources = settingsSources(flags.cwd);
  return configuredServers(readLayers(sources).layers, sources);
}
