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

/** A PostgreSQL server, or at least a database, that belongs to one test file. */
export interface PostgresServer extends AsyncDisposable {
  /** Of the only database for the file; there is no password. */
  readonly url: string;
}

/**
 * Creates a database in the server that `SKILLED_TEST_POSTGRES` names. Without that variable it starts a server in a
 * folder of its own, or returns nothing when PostgreSQL is not installed.
 */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const shared = process.env['SKILLED_TEST_POSTGRES'] ?? '';
  return shared === '' ? startOwnPostgres() : createDatabase(shared);
}

/** A server of its own that can be stopped and started again. */
export interface OwnPostgres extends PostgresServer {
  /** Stops the server like `pg_ctl stop -m immediate`: it aborts everything, and recovers when it starts again. */
  stopNow(): Promise<void>;
  startAgain(): Promise<void>;
}

/** Starts a server in a folder of its own, or returns undefined if PostgreSQL is not installed. */
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
      await ask(shared, `drop database ${name} with (force)`); // also when a killed process left a connection
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

/** PostgreSQL refuses to work for root: the words before a command that make it work for its own user, who gets the folder. */
async function userFor(folder: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const idOf = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  const [user, group] = [await idOf('-u'), await idOf('-g')];
  chownSync(folder, user, group);
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
}

/** A server that listens; where another program takes the port that was free a moment ago, it tries the next one. */
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

// The shell outlives us: its input ends when we do, however we end, and then it stops the server and clears the folder.
// It ends by itself when the server does, and leaves the folder to us, who want to know why.
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
    ...['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off'], // it lives for minutes
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

// The server itself says so in its folder: whoever answers on the port may be somebody else.
async function untilReady(server: ChildProcess, data: string): Promise<void> {
  await until(async () => {
    if (hasEnded(server)) throw new Error('It ended.');
    return (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).includes('\nready');
  }, 'PostgreSQL is ready');
}

/** Lets the watchdog stop the server; one that does not stop is killed, and why it did not is said. */
async function stop(server: ChildProcess, folder: string): Promise<void> {
  server.ref();
  server.stdin?.end();
  if (hasEnded(server)) return;
  try {
    await settled(once(server, 'exit'), 'The end of PostgreSQL');
  } catch (thrown) {
    const said = logOf(folder);
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL'); // the whole group, which is its own
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
