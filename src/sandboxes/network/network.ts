import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { AgentError, entryFile, reasonOf } from '../../core/index.ts';
import { createDial, readNetworkReach, type NetworkReach, type Resolve } from './dial.ts';
import { openProxy } from './proxy.ts';

/** Access to granted hosts, for a sandbox that has no other network. */
export interface Network {
  /** The arguments for bubblewrap that mount the proxy's socket and the forwarder. */
  readonly bind: readonly string[];
  /** The environment variables that make programs use the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns a command that starts the forwarder, which then runs the given command. */
  wrap(
    program: string,
    args: readonly string[],
    hasChannel?: boolean,
  ): { readonly program: string; readonly arguments: readonly string[] };
  /** Closes the proxy and all its connections. */
  close(): Promise<void>;
}

const inside = '/run/skilled'; // The sandbox folder that contains the socket and the forwarder.
const port = 3128; // A free port in the sandbox's own network.

/**
 * Starts a proxy to granted hosts, such as `example.org`, `*.example.org:443` or `localhost:8080`. Throws
 * `usage.bad-input` if a host is not valid.
 */
export async function openNetwork(hosts: readonly string[], resolve?: Resolve): Promise<Network> {
  const reach = readNetworkReach(hosts);
  const entry = entryFile('sandboxes/network/forwarder');
  const folder = await mkdtemp(join(tmpdir(), 'skilled-network-')); // Only this user can access the folder.
  const socket = join(folder, 'proxy');
  const proxy = await openProxy(socket, createDial(reach, resolve)).catch(async (thrown: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw new AgentError('sandbox.unavailable', `The sandbox network failed: ${reasonOf(thrown)}.`);
  });
  removeOnExit(folder);
  // There is no package.json in the sandbox, so the file name must mark the file as a module.
  const forwarder = `${inside}/forwarder${extname(entry).replace('.', '.m')}`;
  return {
    bind: ['--ro-bind', socket, `${inside}/proxy`, '--ro-bind', entry, forwarder],
    environment: environmentFor(reach),
    wrap: (program, args, hasChannel = false) => ({
      program: process.execPath,
      arguments: [
        ...[...quickly, forwarder, `${inside}/proxy`, String(port), hasChannel ? '4' : '3'],
        ...[program, ...args],
      ],
    }),
    async close() {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}

// The forwarder does not use a proxy itself, and Node starts twice as fast with this flag.
const quickly = process.allowedNodeEnvironmentFlags.has('--use-env-proxy') ? ['--no-use-env-proxy'] : [];

/**
 * Returns the proxy variables. Local names such as `localhost` refer to the sandbox's servers, or to the
 * host's servers if they were granted.
 */
function environmentFor(reach: NetworkReach): Readonly<Record<string, string>> {
  const address = `http://127.0.0.1:${port}`;
  const own = ['localhost', '127.0.0.1', '::1'].filter((host) => !reach.includes(host)).join(',');
  return {
    http_proxy: address,
    https_proxy: address,
    all_proxy: address,
    no_proxy: own,
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    ALL_PROXY: address,
    NO_PROXY: own,
    NODE_USE_ENV_PROXY: '1',
  };
}

const folders = new Set<string>();
let isWatching = false;

/**
 * Removes a folder if this process exits without closing the network. If this process is killed, the folder
 * remains.
 */
function removeOnExit(folder: string): void {
  folders.add(folder);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const each of folders) rmSync(each, { recursive: true, force: true });
  });
}
