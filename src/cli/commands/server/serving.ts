import { ownPackage } from '../../../config/program.ts';
import { readSettings, settingsSources } from '../../../config/read/settings.ts';
import { machineFor } from '../../../config/models/find-models.ts';
import { reportModels } from '../../../config/models/report.ts';
import { counted, isAgentError, isJsonObject, optional, type Json } from '../../../core/index.ts';
import type { AgentServer, ServerOptions } from '../../../server/create-server.ts';
import type { OidcOptions } from '../../../server/keys/oidc.ts';
import type { Listening, ListenOptions } from '../../../server/node-listener.ts';
import {
  chosenModels,
  limitsOf,
  modelSources,
  oneLine,
  openAgent,
  pasteable,
  printJson,
  type Invocation,
} from '../../command-kit.ts';
import { prepareStore, storeLocation } from '../../runs/run-store.ts';
import { untilStopped } from '../../runs/stop-signals.ts';

/** Options of a command that serves skills. */
export interface ServingOptions extends Pick<
  ServerOptions,
  'keys' | 'hosts' | 'origins' | 'rate' | 'maxRuns' | 'body'
> {
  readonly where: ListenOptions;
  /** Whether to use the next free port if another program uses this one. */
  readonly triesNextPort?: boolean;
  /** The time in which runs must end after a signal, in milliseconds. Unfinished runs can be resumed later. */
  readonly drainMs: number;
  /** Called before the server listens, with whether it accepts the tokens of an identity provider. */
  readonly check?: (agent: Awaited<ReturnType<typeof openAgent>>, hasProvider: boolean) => Promise<void>;
}

/** Serves the skills of a project until a signal stops the server. */
export async function serveProject(invocation: Invocation, options: ServingOptions): Promise<number> {
  const { flags, own, terminal } = invocation;
  const { where: store, retentionDays } = storeLocation(flags);
  const { where, triesNextPort, drainMs, check, ...serverOptions } = options;
  const { createServer } = await import('../../../server/create-server.ts');
  await using agent = await openAgent(flags, {
    ...chosenModels(invocation),
    store,
    watch: true,
    ...optional('retentionDays', retentionDays),
  });
  await prepareStore(invocation);
  const oidc = options.keys === true ? oidcOf(invocation) : undefined;
  await check?.(agent, oidc !== undefined);
  const server = createServer(agent, {
    ...serverOptions,
    version: ownPackage().version,
    limits: limitsOf(own),
    ...optional('oidc', oidc),
    models: () => listModels(invocation),
    report: (line) => {
      if (!flags.quiet) terminal.err(`${pasteable(oneLine(line), terminal)}\n`);
    },
  });
  using stop = untilStopped();
  const listening = await listenNear(server, where, triesNextPort === true);
  say(invocation, listening, { server, options, skills: agent.skills.list().length });
  await stop.stopped;
  if (!flags.quiet) terminal.err('stopping: no new requests; waiting for runs to end (Ctrl+C stops now)\n');
  await server.close({ drainMs });
  await agent.shutdown({ drainMs: 0 });
  return 0;
}

/** Returns the identity provider from the settings. */
function oidcOf({ flags }: Invocation): OidcOptions | undefined {
  const { settings } = readSettings(settingsSources(flags.cwd, { isSafe: flags.safe }));
  const serve = settings.all?.['serve'];
  return isJsonObject(serve) ? (serve['oidc'] as OidcOptions | undefined) : undefined;
}

const maxTries = 20;

/** Listens on a port or, if another program uses it, on one of the next ports. */
async function listenNear(server: AgentServer, where: ListenOptions, triesNext: boolean): Promise<Listening> {
  for (let tries = 1; ; tries += 1) {
    try {
      const port = (where.port ?? 0) + tries - 1;
      return await server.listen({ ...where, port });
    } catch (thrown) {
      const isTaken =
        isAgentError(thrown) && isJsonObject(thrown.details) && thrown.details['isTaken'] === true;
      if (!isTaken || !triesNext || where.port === 0 || tries >= maxTries) throw thrown;
    }
  }
}

/** Prints where the server listens: as one document with `--json`, otherwise on stderr. */
function say(
  { flags, terminal }: Invocation,
  { url, port }: Listening,
  known: { readonly server: AgentServer; readonly options: ServingOptions; readonly skills: number },
): void {
  const { server, options, skills } = known;
  const signIn = options.keys === true ? `${url}/sign-in?token=${server.issueToken()}` : undefined;
  if (flags.json) {
    const document = { url, port, api: `${url}/v1`, mcp: `${url}/mcp`, openapi: `${url}/openapi.json` };
    printJson(terminal, { ...document, ...optional('signIn', signIn) });
    return;
  }
  const lines = [
    `serving ${counted(skills, 'skill')} at ${url}`,
    `  REST     ${url}/v1 (described at ${url}/openapi.json)`,
    `  MCP      ${url}/mcp`,
    ...(signIn === undefined ? [] : [`  sign in  ${signIn} (works once)`]),
    options.keys === true
      ? 'Requests need a key: `skilled keys add <name>`'
      : 'No keys: every program on this machine can use it. Ctrl+C stops it.',
  ];
  if (!flags.quiet) terminal.err(lines.map((line) => `${pasteable(line, terminal)}\n`).join(''));
}

/** Lists the models that are in use, with what each is used for. */
async function listModels(invocation: Invocation): Promise<Json> {
  const { flags } = invocation;
  const { uses } = await reportModels(
    modelSources(invocation),
    machineFor(flags.safe ? undefined : flags.cwd),
  );
  const names = [...new Set(uses.flatMap(({ models }) => models))];
  return names.map((name) => ({
    name,
    uses: uses.filter(({ models }) => models.includes(name)).map(({ role, tier }) => role ?? tier),
  }));
}
