import { mcpToken, ownPackage, type McpToken } from '../../../config/program.ts';
import { AgentError, counted, didYouMean, optional } from '../../../core/index.ts';
import { serveOverHttp, type ListenAddress } from '../../../server/mcp/http.ts';
import { serveSkills, type ServedSkills } from '../../../server/mcp/serve-skills.ts';
import { serveOverStdio } from '../../../server/mcp/stdio.ts';
import {
  chosenModels,
  limitFlags,
  limitFlagsHelp,
  limitsOf,
  modelFlags,
  modelFlagsHelp,
  oneLine,
  openAgent,
  pasteable,
  roleFlags,
  roleFlagsHelp,
  userOf,
  textFlag,
  wholeNumber,
  withPasteable,
  type CliCommand,
  type Invocation,
} from '../../command-kit.ts';
import { storeLocation, prepareStore } from '../../runs/run-store.ts';
import { untilStopped } from '../../runs/stop-signals.ts';
import { serverActions, serverFlags, serverFlagsHelp } from './mcp-servers.ts';

const usualPort = 7450;
// The time in which cancelled runs must end, in milliseconds. Unfinished runs can be resumed later.
const drainMs = 1_500;

/** `skilled mcp`: serves skills to MCP clients until they disconnect or a signal stops the server. */
export const serveMcp: CliCommand = {
  summary:
    'Serve skills to other agents over MCP, both as tools that run here and as skills that they can load.',
  usage: `Usage: skilled mcp [--http] [flags]
       skilled mcp add <name> <url | -- command> [arguments...]
       skilled mcp list
       skilled mcp remove <name>

Speaks the Model Context Protocol over stdin and stdout, or over HTTP. Each skill that a
model may choose is a tool; clients can also load the text and files of skills. Questions
appear in the client if it can show a form; otherwise the run waits for "skilled approve"
or "skilled resume". Runs are stored like those of "skilled run".

"add", "list" and "remove" are about the servers that skilled uses: they edit and show
"mcpServers" in the settings. Models get the tools of these servers like other skills.

  skilled mcp --tools invoices,opening-hours
  skilled mcp --http --port 0
  skilled mcp add files --workspace read -- npx -y @modelcontextprotocol/server-filesystem .

For an agent that starts the server, in its .mcp.json:

  { "mcpServers": { "skilled": {
      "command": "skilled", "args": ["mcp", "--cwd", "/path/to/project"] } } }

For an agent that connects over HTTP, with the token in SKILLED_MCP_TOKEN on both sides:

  { "mcpServers": { "skilled": {
      "type": "http", "url": "http://127.0.0.1:${usualPort}/mcp",
      "headers": { "Authorization": "Bearer \${SKILLED_MCP_TOKEN}" } } } }

  --tools <names>       only these skills, separated with commas; repeatable
  --internals           also the built-in tools, such as read and bash
  --http                over HTTP, at /mcp, for any number of clients
  --port <number>       with --http: the port, default ${usualPort}; 0 for any free port
  --host <address>      with --http: the address, default 127.0.0.1; any other needs a
                        token in SKILLED_MCP_TOKEN
${serverFlagsHelp}
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: {
    tools: { type: 'string', multiple: true },
    internals: { type: 'boolean' },
    http: { type: 'boolean' },
    port: { type: 'string' },
    host: { type: 'string' },
    ...serverFlags,
    ...roleFlags,
    ...limitFlags,
    ...modelFlags,
  },
  maxArgs: Infinity,
  async run(invocation) {
    const [action, ...args] = invocation.args;
    if (action !== undefined) return actionNamed(action)({ ...invocation, args });
    mustServe(invocation);
    const { flags, own, terminal } = invocation;
    const web = readWebAddress(invocation);
    const limits = limitsOf(own);
    const names = namesOf(invocation);
    const { where: store, retentionDays } = storeLocation(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      watch: true,
      ...(web === undefined ? {} : { secrets: [web.token.text] }),
      ...optional('retentionDays', retentionDays),
    });
    await prepareStore(invocation);
    using served = await serveSkills(agent, {
      version: ownPackage().version,
      limits: () => Promise.resolve(limits),
      approves: flags.yes,
      internals: own['internals'] === true,
      pasteable: (text) => withPasteable(text, terminal, true),
      ...optional('names', names),
      ...optional('user', userOf(invocation)),
      report: (line) => {
        if (!flags.quiet) terminal.err(`${pasteable(oneLine(line), terminal)}\n`);
      },
    });
    using stop = untilStopped();
    if (web === undefined) await serveStreams(served, invocation, stop.stopped);
    else await serveWeb(served, invocation, web, stop.stopped);
    await agent.shutdown({ drainMs });
    return 0;
  },
};

/** Throws if a flag applies only to the actions that read or change settings. */
function mustServe({ own, lists }: Invocation): void {
  const flag = Object.keys(serverFlags).find(
    (name) => own[name] !== undefined || (lists[name] ?? []).length > 0,
  );
  if (flag === undefined) return;
  throw new AgentError('usage.bad-input', `--${flag} belongs to "skilled mcp add" or "skilled mcp remove".`, {
    hint: 'Leave it out.',
  });
}

function actionNamed(name: string): (invocation: Invocation) => Promise<number> {
  const action = Object.hasOwn(serverActions, name) ? serverActions[name] : undefined;
  if (action !== undefined) return action;
  throw new AgentError('usage.bad-input', `"skilled mcp" has no action "${name}".`, {
    hint: didYouMean(name, Object.keys(serverActions)) ?? 'Leave it out to serve skills.',
  });
}

async function serveStreams(
  served: ServedSkills,
  invocation: Invocation,
  stopped: Promise<unknown>,
): Promise<void> {
  await using conversation = await serveOverStdio(served, process.stdin, process.stdout);
  const isByHand = invocation.terminal.ask !== undefined;
  say(invocation, [...startLines(served), ...(isByHand ? byHandLines : [])], false);
  await Promise.race([conversation.ended, stopped]);
  process.stdin.destroy(); // An open stdin would keep the process alive.
}

/** Notes for a user who started the server from a terminal. */
const byHandLines = [
  'An MCP client usually starts this server; there is nothing to type here. Ctrl+C stops it.',
  'For clients that connect over HTTP, use `skilled mcp --http`; `skilled mcp --help` shows both set-ups.',
];

async function serveWeb(
  served: ServedSkills,
  invocation: Invocation,
  { token, ...address }: WebAddress,
  stopped: Promise<unknown>,
): Promise<void> {
  await using listening = await serveOverHttp(served, { ...address, token: token.text });
  say(invocation, startLines(served, { url: listening.url, token }), token.isNew);
  await stopped;
}

function say({ flags, terminal }: Invocation, lines: readonly string[], isNeeded: boolean): void {
  if (flags.quiet && !isNeeded) return;
  terminal.err(lines.map((line) => `${pasteable(oneLine(line), terminal)}\n`).join(''));
}

type WebAddress = Omit<ListenAddress, 'token'> & { readonly token: McpToken };

/**
 * Returns the HTTP address and token, or undefined if the server does not use HTTP. Throws if a flag has no
 * effect or is unsafe.
 */
function readWebAddress({ own }: Invocation): WebAddress | undefined {
  const port = wholeNumber(own, 'port') ?? usualPort;
  const host = textFlag(own, 'host') ?? '127.0.0.1';
  if (own['http'] !== true) {
    const lost = ['port', 'host'].find((flag) => own[flag] !== undefined);
    if (lost === undefined) return undefined;
    throw new AgentError('usage.bad-input', `--${lost} needs --http.`, { hint: 'Add --http.' });
  }
  if (port > 65_535)
    throw new AgentError('usage.bad-input', `${port} is not a valid port.`, { hint: 'Use at most 65535.' });
  const token = mcpToken();
  if (token.isNew && !['127.0.0.1', '::1', 'localhost'].includes(host))
    throw new AgentError('usage.bad-input', `--host ${host} needs a token.`, {
      hint: 'Set a token in SKILLED_MCP_TOKEN, or leave out --host.',
    });
  return { host, port, token };
}

function namesOf({ lists }: Invocation): readonly string[] | undefined {
  const given = lists['tools'] ?? [];
  if (given.length === 0) return undefined;
  const names = given.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** Returns the lines that a server prints to stderr when it starts: the skills it serves, and its address. */
function startLines(
  { serving }: ServedSkills,
  where?: { readonly url: string; readonly token: McpToken },
): readonly string[] {
  const { tools, catalog } = serving;
  const what = `${counted(tools.list().length, 'tool')}, ${counted(catalog.entries.length, 'loadable skill')}`;
  if (where === undefined) return [`serving over stdio: ${what}`];
  const { url, token } = where;
  return [
    `serving at ${url}: ${what}`,
    ...(token.isNew ? [`token for this session: ${token.text} (set SKILLED_MCP_TOKEN to choose one)`] : []),
  ];
}
