import { mcpToken, ownPackage, type McpToken } from '../../../config/program.ts';
import { AgentError, optional } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
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
  rolesOf,
  textFlag,
  wholeNumber,
  withPasteable,
  type CliCommand,
  type Invocation,
} from '../../command-kit.ts';
import { placeOf, prepareStore } from '../../runs/run-store.ts';

const usualPort = 7450;
const drainMs = 1_500; // what is cancelled ends sooner; the rest can be resumed

/** `skilled mcp`: serves skills to MCP clients until they go away, or until it is stopped. */
export const serveMcp: CliCommand = {
  summary: 'Serve skills to other agents: as tools that run here, and as skills that they load.',
  usage: `Usage: skilled mcp [--http] [flags]

Speaks the Model Context Protocol over stdin and stdout, or over HTTP. Each skill that a
model may choose is a tool; the text and files of skills can be loaded as well. What a
skill asks is asked in the client, if that can show a form; else the run waits, and
"skilled approve" or "skilled resume" answers it. Runs are kept as those of "skilled run".

  skilled mcp --tools invoices,opening-hours
  skilled mcp --http --port 0

For an agent that starts it, in its .mcp.json:

  { "mcpServers": { "skilled": {
      "command": "skilled", "args": ["mcp", "--cwd", "/path/to/project"] } } }

For one that reaches it over HTTP, with the token in SKILLED_MCP_TOKEN on both sides:

  { "mcpServers": { "skilled": {
      "type": "http", "url": "http://127.0.0.1:${usualPort}/mcp",
      "headers": { "Authorization": "Bearer \${SKILLED_MCP_TOKEN}" } } } }

  --tools <names>       only these skills, with commas between them; may be repeated
  --internals           also the package's own, as read and bash
  --http                over HTTP, at /mcp, for any number of clients
  --port <number>       with --http: the port, ${usualPort} unless given; 0 for any
  --host <address>      with --http: where it listens, 127.0.0.1 unless given; any other
                        needs a token in SKILLED_MCP_TOKEN
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: {
    tools: { type: 'string', multiple: true },
    internals: { type: 'boolean' },
    http: { type: 'boolean' },
    port: { type: 'string' },
    host: { type: 'string' },
    ...roleFlags,
    ...limitFlags,
    ...modelFlags,
  },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    const web = webPlace(invocation);
    const limits = limitsOf(own);
    const names = namesOf(invocation);
    const { where: store, retentionDays } = placeOf(flags);
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
      limits,
      approves: flags.yes,
      internals: own['internals'] === true,
      pasteable: (text) => withPasteable(text, terminal, true),
      ...optional('names', names),
      ...optional('roles', rolesOf(invocation)),
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

async function serveStreams(
  served: ServedSkills,
  invocation: Invocation,
  stopped: Promise<unknown>,
): Promise<void> {
  await using conversation = await serveOverStdio(served, process.stdin, process.stdout);
  const isByHand = invocation.terminal.ask !== undefined;
  say(invocation, [...startLines(served), ...(isByHand ? byHandLines : [])], false);
  await Promise.race([conversation.ended, stopped]);
  process.stdin.destroy(); // else the process would wait for it
}

/** For somebody at a terminal, who would wait for an answer. */
const byHandLines = [
  'It waits for a client that starts it and speaks the protocol; nothing is to be typed here. Ctrl+C ends it.',
  '`skilled mcp --http` is for clients that reach it instead; `skilled mcp --help` shows how either is set up.',
];

async function serveWeb(
  served: ServedSkills,
  invocation: Invocation,
  { token, ...place }: WebPlace,
  stopped: Promise<unknown>,
): Promise<void> {
  await using listening = await serveOverHttp(served, { ...place, token: token.text });
  say(invocation, startLines(served, { url: listening.url, token }), token.isNew);
  await stopped;
}

function say({ flags, terminal }: Invocation, lines: readonly string[], isNeeded: boolean): void {
  if (flags.quiet && !isNeeded) return;
  terminal.err(lines.map((line) => `${pasteable(oneLine(line), terminal)}\n`).join(''));
}

type WebPlace = Omit<ListenAddress, 'token'> & { readonly token: McpToken };

/** Where it listens, if it does; throws for flags that mean nothing or are not safe. */
function webPlace({ own }: Invocation): WebPlace | undefined {
  const port = wholeNumber(own, 'port') ?? usualPort;
  const host = textFlag(own, 'host') ?? '127.0.0.1';
  if (own['http'] !== true) {
    const lost = ['port', 'host'].find((flag) => own[flag] !== undefined);
    if (lost === undefined) return undefined;
    throw new AgentError('usage.bad-input', `--${lost} needs --http.`, { hint: 'Add --http.' });
  }
  if (port > 65_535)
    throw new AgentError('usage.bad-input', `There is no port ${port}.`, { hint: 'Use at most 65535.' });
  const token = mcpToken();
  if (token.isNew && !['127.0.0.1', '::1', 'localhost'].includes(host))
    throw new AgentError('usage.bad-input', `Whoever reaches ${host} needs a token.`, {
      hint: 'Choose one in SKILLED_MCP_TOKEN, or leave out --host.',
    });
  return { host, port, token };
}

function namesOf({ lists }: Invocation): readonly string[] | undefined {
  const given = lists['tools'] ?? [];
  if (given.length === 0) return undefined;
  const names = given.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** What is said on stderr when a server begins: what it serves, where, and to whom. */
function startLines(
  { serving }: ServedSkills,
  where?: { readonly url: string; readonly token: McpToken },
): readonly string[] {
  const { tools, catalog } = serving;
  const what = `${count(tools.list().length, 'tool')}, ${count(catalog.entries.length, 'loadable skill')}`;
  if (where === undefined) return [`serving over stdio: ${what}`];
  const { url, token } = where;
  return [
    `serving at ${url}: ${what}`,
    ...(token.isNew ? [`token for this time: ${token.text} (SKILLED_MCP_TOKEN chooses another)`] : []),
  ];
}

/** Signals that stop a server. */
interface Stopped extends Disposable {
  /** Resolves with the first one; another one ends the process at once. */
  readonly stopped: Promise<unknown>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens for signals that stop a server until it is disposed of. */
function untilStopped(): Stopped {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(130);
    isStopping = true;
    resolve(undefined);
  };
  for (const signal of signals) process.on(signal, stop);
  return {
    stopped,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
