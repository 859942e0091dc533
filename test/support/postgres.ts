import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, constants, globSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { tree } from './tree.ts';

const run = promisify(execFile);

/** A PostgreSQL server that belongs to one test file. */
export interface PostgresServer extends AsyncDisposable {
  /** Of its only database; there is no password. */
  readonly url: string;
}

/** Starts a server in a folder of its own, or gives nothing when PostgreSQL is not installed. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const binaries = findBinaries();
  if (binaries === undefined) return undefined;
  const folder = tree();
  const user = await userFor(folder.path);
  const data = folder.at('data');
  try {
    const [initdb, ...words] = [...user, join(binaries, 'initdb')];
    const flags = ['--no-sync', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C'];
    await run(initdb ?? '', [...words, ...flags, '--pgdata', data], { cwd: folder.path });

    const port = await freePort();
    const server = startServer([...user, join(binaries, 'postgres')], data, folder.path, port);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await untilReady(url, server);
    return {
      url,
      async [Symbol.asyncDispose]() {
        server.ref();
        server.stdin?.end();
        if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
        folder[Symbol.dispose]();
      },
    };
  } catch (thrown) {
    folder[Symbol.dispose]();
    throw thrown;
  }
}

/** The folder of the programs: on the path, else the newest one where Debian puts them. */
function findBinaries(): string | undefined {
  const newest = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionOf(b) - versionOf(a));
  return [...(process.env['PATH'] ?? '').split(delimiter), ...newest].find((folder) => {
    return isProgram(join(folder, 'initdb')) && isProgram(join(folder, 'postgres'));
  });
}

function versionOf(folder: string): number {
  return Number(/\d+/.exec(folder)?.[0] ?? 0);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to work for root: the words before a command that make it work for its own user, who gets the folder. */
async function userFor(folder: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const idOf = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  const [user, group] = [await idOf('-u'), await idOf('-g')];
  chownSync(folder, user, group);
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

// The shell outlives us: its input ends when we do, however we end, and then it stops the server and clears the folder.
const watchdog = `
  "$@" >"$FOLDER/log" 2>&1 </dev/null &
  server=$!
  { while kill -0 $server 2>/dev/null && read -r line; do :; done; } 
  kill -INT $server 2>/dev/null
  wait $server
  rm -rf "$FOLDER"
`;

function startServer(command: readonly string[], data: string, folder: string, port: number): ChildProcess {
  const settings = [
    'fsync=off',
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const server = spawn('sh', ['-c', watchdog, 'sh', ...command, '-D', data, ...flags], {
    cwd: folder,
    env: { ...process.env, FOLDER: folder },
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true, // an interrupt of the terminal is for the tests alone
  });
  server.unref();
  return server;
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await mayConnect(url))) {
    if (server.exitCode !== null || performance.now() > end) throw new Error('PostgreSQL did not start.');
    await delay(20);
  }
}

async function mayConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
