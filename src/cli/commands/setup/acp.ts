import type { McpServer } from '@agentclientprotocol/sdk';
import { ownPackage } from '../../../config/program.ts';
import { AgentError, readServerEntry, type Json, type ServerDescription } from '../../../core/index.ts';
import {
  chosenModels,
  limitFlags,
  limitFlagsHelp,
  limitsOf,
  modelFlags,
  modelFlagsHelp,
  mustBeFolder,
  openAgent,
  roleFlags,
  roleFlagsHelp,
  userOf,
  type CliCommand,
} from '../../command-kit.ts';
import { prepareStore, storeLocation } from '../../runs/run-store.ts';
import { untilStopped } from '../../runs/stop-signals.ts';

/** `skilled acp`: serves one editor over stdin and stdout until it disconnects. */
export const serveEditor: CliCommand = {
  summary: 'Put skills into an editor that speaks the Agent Client Protocol, such as Zed.',
  usage: `Usage: skilled acp [flags]

Speaks the Agent Client Protocol over stdin and stdout. The editor starts this command and
opens sessions in its project's folder. Answers, calls at every depth, changed files, task
lists, approvals and questions appear in the editor. Skills are its slash commands. Runs are
stored like those of "skilled run".

  skilled acp
  skilled acp --model <provider/model>

For Zed, in its settings:

  { "agent_servers": { "skilled": { "command": "skilled", "args": ["acp"] } } }

${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: { ...roleFlags, ...limitFlags, ...modelFlags },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    mustBeFolder(flags.cwd, '--cwd');
    const { serveAcp } = await import('../../../acp/serve-acp.ts');
    const models = chosenModels(invocation);
    const user = userOf(invocation);
    await using editor = serveAcp(
      {
        version: ownPackage().version,
        limits: limitsOf(own),
        ...(user === undefined ? {} : { user }),
        open: async (cwd, servers) => {
          const project = { ...flags, cwd };
          const { where: store, retentionDays } = storeLocation(project);
          const agent = await openAgent(project, {
            ...models,
            store,
            watch: true,
            mcpServers: servers.map(readServer),
            ...(retentionDays === undefined ? {} : { retentionDays }),
          });
          await prepareStore({ ...invocation, flags: project });
          return agent;
        },
      },
      process.stdin,
      process.stdout,
    );
    if (terminal.ask !== undefined && !flags.quiet)
      terminal.err(
        'An editor usually starts this command; there is nothing to type here. Ctrl+C stops it.\n',
      );
    using stop = untilStopped();
    await Promise.race([editor.ended, stop.stopped]);
    process.stdin.destroy(); // An open stdin would keep the process alive.
    return 0;
  },
};

/** Converts a server that the editor adds to a session. */
function readServer({ name, ...server }: McpServer): ServerDescription {
  const pairs = (list: readonly { readonly name: string; readonly value: string }[]): Json =>
    Object.fromEntries(list.map((one) => [one.name, one.value]));
  const entry: Json =
    'command' in server
      ? { command: server.command, args: server.args, env: pairs(server.env) }
      : { type: server.type, url: server.url, headers: pairs(server.headers) };
  const read = readServerEntry(name.replace(/[^\w-]+/g, '-').replace(/_+/g, '_'), entry, 'settings');
  if (typeof read !== 'string') return read;
  throw new AgentError('usage.bad-input', `The editor's MCP server "${name}" ${read}.`, {
    hint: "Change the server in the editor's settings.",
  });
}
