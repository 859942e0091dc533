import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { makeCluster } from './postgres-cluster.ts';
import { findPostgres } from './postgres-programs.ts';
import { tree } from './tree.ts';
import { settled, until } from './deadline.ts';

const run = promisify(execFile);

/** A PostgreSQL server or database that only one test file uses. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of the file's only database. It needs no password. */
  readonly url: string;
}

/**
 * Creates a database on the server that `SKILLED_TEST_POSTGRES` names. Without that variable, starts a new
 * server in a temporary folder, or returns undefined if PostgreSQL is not installed.
 */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const shared = process.env['SKILLED_TEST_POSTGRES'] ?? '';
  return shared === '' ? startOwnPostgres() : createDatabase(shared);
}

/** A separate server that can be stopped and restarted. */
export interface OwnPostgres extends PostgresServer {
  /**
   * Stops the server as `pg_ctl stop -m immediate` does. It aborts all work and recovers at the next start.
   */
  stopNow(): Promise<void>;
  startAgain(): Promise<void>;
}

/** Starts a server in a temporary folder, or returns undefined if PostgreSQL is not installed. */
export async function startOwnPostgres(): Promise<OwnPostgres | undefined> {
  const binaries = findPostgres();
  if (binaries === undefined) return undefined;
  const folder = tree();
  const user = await userFor(folder.path);
  const data = folder.at('data');
  try {
    await makeCluster([...user, join(binaries, 'initdb')], data);
    const command = [...user, join(binaries, 'postgres')];
    const listening = await listen(command, data, folder.path);
    const { port } = listening;
    let { server } = listening;
    const pidFile = join(data, 'postmaster.pid');
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      async stopNow() {
        const ended = once(server, 'exit');
        process.kill(Number.parseInt(await readFile(pidFile, 'utf8'), 10), 'SIGQUIT');
        await settled(ended, 'The end of PostgreSQL');
        await rm(pidFile, { force: true });
      },
      async startAgain() {
        server = startServer(command, data, folder.path, port);
        await untilReady(server, data);
      },
      async [Symbol.asyncDispose]() {
        await stop(server, folder.path);
        folder[Symbol.dispose]();
      },
    };
  } catch (thrown) {
    folder[Symbol.dispose]();
    throw thrown;
  }
}

async function createDatabase(shared: string): Promise<PostgresServer> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await ask(shared, `create database ${name} template template0`);
  const url = new URL(shared);
  url.pathname = name;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await ask(shared, `drop database ${name} with (force)`); // also if a connection is still open
    },
  };
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * Returns the command prefix that runs a program as the `postgres` user, because PostgreSQL refuses to run as
 * root. The user becomes the owner of the folder. Empty if this process is not root.
 */
async function userFor(folder: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const idOf = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  const [user, group] = [await idOf('-u'), await idOf('-g')];
  chownSync(folder, user, group);
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
}

/**
 * Starts a server on a free port. Retries with another port if a different program takes the port first;
 * gives up after three attempts.
 */
async function listen(
  command: readonly string[],
  data: string,
  folder: string,
): Promise<{ readonly port: number; readonly server: ChildProcess }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = startServer(command, data, folder, port);
    try {
      await untilReady(server, data);
      return { port, server };
    } catch (thrown) {
      const said = logOf(folder);
      await stop(server, folder);
      if (attempt === 3 || !said.includes('could not bind')) {
        throw new Error(`PostgreSQL did not start on port ${port}: ${said}`, { cause: thrown });
      }
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

// This shell outlives the test process. Its stdin closes when the test process exits in any way; it then
// stops the server and deletes the folder. If the server exits first, the shell exits too and keeps the
// folder, so that the test can read the log.
const watchdog = `
  exec 3<&0
  "$@" >"$FOLDER/log" 2>&1 </dev/null 3<&- &
  server=$!
  { while read -r line; do :; done; touch "$FOLDER/told"; kill -INT $server; } <&3 2>/dev/null &
  listener=$!
  wait $server
  kill $listener 2>/dev/null
  if [ -e "$FOLDER/told" ]; then rm -rf "$FOLDER"; fi
`;

function startServer(command: readonly string[], data: string, folder: string, port: number): ChildProcess {
  const settings = [
    ...['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off'], // runs for minutes
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const server = spawn('sh', ['-c', watchdog, 'sh', ...command, '-D', data, ...flags], {
    cwd: folder,
    env: { ...process.env, FOLDER: folder },
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true, // keeps a terminal interrupt from reaching the server
  });
  server.unref();
  return server;
}

// The server's own status file is the proof, because another program could answer on the port.
async function untilReady(server: ChildProcess, data: string): Promise<void> {
  await until(async () => {
    if (hasEnded(server)) throw new Error('It ended.');
    return (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).includes('\nready');
  }, 'PostgreSQL is ready');
}

/** Lets the watchdog stop the server. If it does not stop, kills it and reports the server's log. */
async function stop(server: ChildProcess, folder: string): Promise<void> {
  server.ref();
  server.stdin?.end();
  if (hasEnded(server)) return;
  try {
    await settled(once(server, 'exit'), 'The end of PostgreSQL');
  } catch (thrown) {
    const said = logOf(folder);
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL'); // the server has its own process group
    server.unref();
    throw new Error(`PostgreSQL did not stop: ${said}`, { cause: thrown });
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function logOf(folder: string): string {
  const file = join(folder, 'log');
  return existsSync(file)
    ? readFileSync(file, 'utf8').trim().split('\n').slice(-10).join('\n')
    : 'nothing was written.';
}
