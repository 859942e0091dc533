import { AgentError, optional } from '../../../core/index.ts';
import {
  limitFlags,
  limitFlagsHelp,
  modelFlags,
  modelFlagsHelp,
  textFlag,
  wholeNumber,
  type CliCommand,
  type Invocation,
} from '../../command-kit.ts';
import { serveProject } from './serving.ts';

/** The default port, the same as that of `skilled mcp --http`. */
const usualPort = 7450;
const usualDrain = 10; // Seconds.
const loopback = ['127.0.0.1', '::1', 'localhost'];

/** `skilled serve`: serves skills over HTTP until a signal stops the server. */
export const serve: CliCommand = {
  summary: 'Serve skills over HTTP: a REST API with streams of events, and MCP.',
  usage: `Usage: skilled serve [flags]

Serves the skills of this project: REST at /v1 (described at /openapi.json), OpenAI's API
at /openai/v1, MCP at /mcp, and /healthz, /readyz and /metrics. Runs are stored like those of "skilled run". After a
crash, the next server continues them. SIGTERM refuses new requests, waits for runs and
stops.

Without keys, the server listens only on this machine and accepts every request from it.

  skilled serve
  skilled keys add ci --scopes runs:write,runs:read
  skilled serve --host 0.0.0.0 --allow-host skills.example.com

  --port <number>       the port, default ${usualPort}; 0 for any free port
  --host <address>      the address, default 127.0.0.1; any other needs keys
  --keys                requests need a key, also on this machine
  --allow-host <name>   a name under which clients reach the server; repeatable
  --allow-origin <url>  a web page of another site that may use the server; repeatable
  --max-runs <number>   the maximum number of runs in progress, default 200
  --max-body <bytes>    the maximum size of a request, default 8 MiB
  --rate <number>       the requests per minute of a key without its own rate
  --drain <seconds>     the time for runs to end after SIGTERM, default ${usualDrain}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    keys: { type: 'boolean' },
    'allow-host': { type: 'string', multiple: true },
    'allow-origin': { type: 'string', multiple: true },
    'max-runs': { type: 'string' },
    'max-body': { type: 'string' },
    rate: { type: 'string' },
    drain: { type: 'string' },
    ...limitFlags,
    ...modelFlags,
  },
  async run(invocation) {
    const { own, lists } = invocation;
    const host = textFlag(own, 'host') ?? '127.0.0.1';
    const isOpen = !loopback.includes(host);
    const rate = wholeNumber(own, 'rate');
    const bytes = wholeNumber(own, 'max-body');
    return await serveProject(invocation, {
      where: { host, port: portOf(invocation) },
      keys: own['keys'] === true || isOpen,
      hosts: [...(lists['allow-host'] ?? []), ...(host === '0.0.0.0' || host === '::' ? ['*'] : [])],
      origins: lists['allow-origin'] ?? [],
      drainMs: (wholeNumber(own, 'drain') ?? usualDrain) * 1_000,
      ...optional('rate', rate === undefined ? undefined : { perMinute: rate, burst: rate }),
      ...optional('maxRuns', wholeNumber(own, 'max-runs')),
      ...optional('body', bytes === undefined ? undefined : { bytes }),
      async check(agent, hasProvider) {
        if (!isOpen || hasProvider || (await (await agent.runs.store()).entries('server/keys')).size > 0)
          return;
        throw new AgentError('usage.bad-input', `--host ${host} needs a key, and there are none.`, {
          hint: 'Create one: `skilled keys add <name>`. Or leave out --host.',
        });
      },
    });
  },
};

const devDrainMs = 1_500; // The time for runs to end after Ctrl+C, in milliseconds. They can be resumed later.

/** `skilled dev`: serves skills on this machine while their author works on them. */
export const dev: CliCommand = {
  summary: 'Serve skills on this machine while you work on them.',
  usage: `Usage: skilled dev [flags]

Like "skilled serve", for one person: listens only on this machine, needs no keys, and
uses the next free port if another program uses this one. Changes of skills take effect
at once.

  skilled dev
  curl -s localhost:${usualPort}/v1/skills

  --port <number>       the port, default ${usualPort}; 0 for any free port
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: { port: { type: 'string' }, ...limitFlags, ...modelFlags },
  run: (invocation) =>
    serveProject(invocation, {
      where: { host: '127.0.0.1', port: portOf(invocation) },
      triesNextPort: true,
      drainMs: devDrainMs,
    }),
};

/** Returns the port from the flags. Throws for a number that is not a port. */
function portOf({ own }: Invocation): number {
  const port = wholeNumber(own, 'port') ?? usualPort;
  if (port <= 65_535) return port;
  throw new AgentError('usage.bad-input', `${port} is not a valid port.`, { hint: 'Use at most 65535.' });
}
