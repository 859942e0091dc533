import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { AgentError, entryFile, reasonOf } from '../../core/index.ts';
import { createDial, readNetworkReach, type NetworkReach, type Resolve } from './dial.ts';
import { openProxy } from './proxy.ts';

/** A way out of sandboxes that have no network of their own, to some hosts. */
export interface Network {
  /** Arguments for bubblewrap, which bring the way out into the sandbox. */
  readonly bind: readonly string[];
  /** Variables that lead programs to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The command to run in the sandbox instead: it opens the way out and then runs this one. */
  wrap(
    program: string,
    words: readonly string[],
    hasChannel?: boolean,
  ): { readonly program: string; readonly arguments: readonly string[] };
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

const inside = '/run/skilled'; // where the way out is, in the sandbox
const port = 3128; // of the sandbox's own machine, where nothing else listens

/** Opens a way out to named hosts, such as `example.org`, `*.example.org:443` or `localhost:8080`; throws `usage.bad-input` for what is none. */
export async function openNetwork(hosts: readonly string[], resolve?: Resolve): Promise<Network> {
  const reach = readNetworkReach(hosts);
  const entry = entryFile('sandboxes/network/forwarder');
  const folder = await mkdtemp(join(tmpdir(), 'skilled-network-')); // only its owner may enter it
  const socket = join(folder, 'proxy');
  const proxy = await openProxy(socket, createDial(reach, resolve)).catch(async (thrown: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw new AgentError('sandbox.unavailable', `The network of the sandbox failed: ${reasonOf(thrown)}.`);
  });
  leaveNothing(folder);
  const forwarder = `${inside}/forwarder${extname(entry).replace('.', '.m')}`; // no package.json says what it is, there
  return {
    bind: ['--ro-bind', socket, `${inside}/proxy`, '--ro-bind', entry, forwarder],
    environment: environmentFor(reach),
    wrap: (program, words, hasChannel = false) => ({
      program: process.execPath,
      arguments: [
        ...[...quickly, forwarder, `${inside}/proxy`, String(port), hasChannel ? '4' : '3'],
        ...[program, ...words],
      ],
    }),
    async close() {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}

// The forwarder itself asks no proxy, and Node starts in half the time without.
const quickly = process.allowedNodeEnvironmentFlags.has('--use-env-proxy') ? ['--no-use-env-proxy'] : [];

/** The machine's own names lead to the sandbox's own servers, unless they were granted: then to those of the host. */
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

/** A process that exits without closing takes its folders along; one that is killed cannot. */
function leaveNothing(folder: string): void {
  folders.add(folder);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const each of folders) rmSync(each, { recursive: true, force: true });
  });
}
