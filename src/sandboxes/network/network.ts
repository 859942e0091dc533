import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { AgentError, entryFile, reasonOf } from '../../core/index.ts';
import { createDial, readNetworkReach, type NetworkReach, type Resolve } from './dial.ts';
import { openProxy } from './proxy.ts';

/** Network access to some hosts, for sandboxes that have no network of their own. */
export interface Network {
  /** Arguments for bubblewrap that mount the proxy socket and the forwarder in the sandbox. */
  readonly bind: readonly string[];
  /** Variables that point programs to the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns a command that starts the forwarder, which then runs the given command. */
  wrap(
    program: string,
    args: readonly string[],
    hasChannel?: boolean,
  ): { readonly program: string; readonly arguments: readonly string[] };
  /** Closes all open connections. */
  close(): Promise<void>;
}

const inside = '/run/skilled'; // The sandbox folder that holds the socket and the forwarder.
const port = 3128; // A free port in the sandbox's own network.

/**
 * Opens access to named hosts, such as `example.org`, `*.example.org:443` or `localhost:8080`. Throws
 * `usage.bad-input` for an invalid host.
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
  // The sandbox folder has no package.json, so the file extension sets the module type.
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

// The forwarder itself does not use the proxy, and Node starts twice as fast without proxy settings.
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
 * Removes the folders if the process exits without closing the network. A killed process cannot remove them.
 */
function removeOnExit(folder: string): void {
  folders.add(folder);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const each of folders) rmSync(each, { recursive: true, force: true });
  });
}
