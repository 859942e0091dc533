import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { AgentError, isPublicAddress, reasonOf, timer } from '../../core/index.ts';

/** The maximum time to establish a connection, in milliseconds. */
const longestDialMs = 30_000;

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * Opens a connection to a host. Throws `policy.denied` if the host is not allowed, and `skill.failed` if the
 * host does not answer.
 */
export type Dial = (host: string, port: number) => Promise<Socket>;

/**
 * Creates a function that connects only to allowed hosts. It resolves names itself, so that it connects to
 * exactly the address that it has checked.
 */
export function createDial(
  reach: NetworkReach,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): Dial {
  return async (asked, port) => {
    const host = plainHost(asked);
    if (host === undefined) throw new AgentError('usage.bad-input', 'The request does not name a host.');
    if (!reach.includes(host, port)) throw refused(`This sandbox was not granted access to ${host}:${port}.`);
    const found =
      isIP(host) === 0 ? await addressesOf(host, resolve) : [{ address: host, family: isIP(host) }];
    const allowed = found.filter(({ address }) => reach.includesAddress(address, port));
    if (allowed.length === 0) {
      throw refused(`${host} resolves to an address that is not on the public internet and was not granted.`);
    }
    return connected(host, port, allowed);
  };
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const found = await resolve(host).catch((thrown: unknown) => {
    throw unreachable(host, reasonOf(thrown));
  });
  if (found.length === 0) throw unreachable(host, 'it has no address');
  return found;
}

async function connected(host: string, port: number, addresses: readonly LookupAddress[]): Promise<Socket> {
  const [first = { address: '', family: 0 }] = addresses;
  const checked: LookupFunction = (_host, { all }, done) => {
    if (all === true) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
  const socket = connect({ host, port, lookup: checked, allowHalfOpen: true, noDelay: true });
  using _clock = timer(longestDialMs, () => socket.destroy(new Error('it does not answer')));
  try {
    await once(socket, 'connect');
    return socket;
  } catch (thrown) {
    socket.destroy();
    const { code, message } = thrown as NodeJS.ErrnoException;
    throw unreachable(host, code ?? message);
  }
}

function refused(message: string): AgentError {
  return new AgentError('policy.denied', message, {
    hint: 'Grant the skill access to the host, or do without it.',
  });
}

function unreachable(host: string, reason: string): AgentError {
  return new AgentError('skill.failed', `${host} could not be reached: ${reason}.`);
}

/** The hosts that a sandbox may reach over the network. Hosts and addresses are written as in a URL. */
export interface NetworkReach {
  /**
   * Returns whether a name or an address is allowed at a port. If `port` is omitted, returns whether it is
   * allowed at any port.
   */
  includes(host: string, port?: number): boolean;
  /**
   * Returns whether an address to which a name resolves is allowed. The address must be public or
   * explicitly allowed.
   */
  includesAddress(address: string, port: number): boolean;
}

interface Named {
  readonly host: string;
  readonly below: boolean;
  readonly port: number | undefined;
}

/**
 * Parses hosts such as `example.org`, `*.example.org`, `192.0.2.1`, `[::1]` or `localhost`, each with or
 * without a port.
 */
export function readNetworkReach(hosts: readonly string[]): NetworkReach {
  const named = hosts.flatMap(readHost);
  const isNamed = (host: string, port?: number): boolean =>
    named.some(
      (one) =>
        (one.below ? host.endsWith(`.${one.host}`) : host === one.host) &&
        (one.port === undefined || port === undefined || one.port === port),
    );
  return {
    includes: isNamed,
    includesAddress: (address, port) =>
      isPublicAddress(address) || isNamed(plainHost(address) ?? address, port),
  };
}

/**
 * Returns a host in the form that URLs use, but without brackets and without a dot at the end. Returns
 * undefined if the host is not valid.
 */
export function plainHost(host: string): string | undefined {
  const bracketed = /^[\da-f:.]*:[\da-f:.]*$/i.test(host) ? `[${host}]` : host;
  if (!/^[^\s/?#@\\:]+$|^\[[^\s/?#@\\[\]]+\]$/.test(bracketed)) return undefined;
  const name = URL.parse(`http://${bracketed}/`)
    ?.hostname.replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return name === '' ? undefined : name;
}

const ownMachine = ['127.0.0.1', '::1'];

function readHost(text: string): readonly Named[] {
  const [, star, name = '', digits] = /^(\*\.)?(.+?)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = plainHost(name);
  const below = star !== undefined;
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || host.includes('*') || (below && isAddress(host)) || (port ?? 1) > 65_535) {
    throw new AgentError('usage.bad-input', `"${text}" is not a valid host.`, {
      hint: 'Use a host such as example.org, *.example.org or example.org:8443, without https:// and without a path.',
    });
  }
  const alike = host === 'localhost' && !below ? [host, ...ownMachine] : [host];
  return alike.map((each) => ({ host: each, below, port }));
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host);
}
