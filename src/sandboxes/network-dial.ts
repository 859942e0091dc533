import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { AgentError, reasonOf } from '../core/error.ts';
import { plainHost, type NetworkReach } from './network-reach.ts';

/** Milliseconds that a connection may take to come about. */
const longestDialMs = 30_000;

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Connects to a host; throws `policy.denied` for one out of reach, and `skill.failed` for one that does not answer. */
export type Dial = (host: string, port: number) => Promise<Socket>;

/** Dials within a reach: names are resolved here, and what was checked is what is connected to. */
export function createDial(
  reach: NetworkReach,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): Dial {
  return async (asked, port) => {
    const host = plainHost(asked);
    if (host === undefined) throw new AgentError('usage.bad-input', 'The request names no host.');
    if (!reach.includes(host, port)) throw refused(`${host}:${port} was not granted to this sandbox.`);
    const found =
      isIP(host) === 0 ? await addressesOf(host, resolve) : [{ address: host, family: isIP(host) }];
    const allowed = found.filter(({ address }) => reach.includesAddress(address, port));
    if (allowed.length === 0) {
      throw refused(
        `${host} leads to an address that is not of the open internet and was not granted itself.`,
      );
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

function connected(host: string, port: number, addresses: readonly LookupAddress[]): Promise<Socket> {
  const [first = { address: '', family: 0 }] = addresses;
  const checked: LookupFunction = (_host, { all }, done) => {
    if (all === true) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: checked, allowHalfOpen: true, noDelay: true });
    const fail = (reason: string): void => {
      socket.destroy();
      reject(unreachable(host, reason));
    };
    const onError = (fault: NodeJS.ErrnoException): void => fail(fault.code ?? fault.message);
    const timer = setTimeout(() => fail('it does not answer'), longestDialMs);
    socket.once('error', onError);
    socket.once('close', () => clearTimeout(timer));
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', onError);
      resolve(socket);
    });
  });
}

function refused(message: string): AgentError {
  return new AgentError('policy.denied', message, {
    hint: 'Grant the host to the skill, or do without it.',
  });
}

function unreachable(host: string, reason: string): AgentError {
  return new AgentError('skill.failed', `${host} could not be reached: ${reason}.`);
}
