import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { AgentError } from '../../core/error.ts';
import { isPublicAddress } from '../../core/servers/hosts.ts';

/** What of the network may be reached. */
export interface Reach {
  isAllowed(address: string): boolean;
  /** Undefined means all. */
  readonly ports: ReadonlySet<number> | undefined;
  /** All addresses of a host. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
}

/** The open internet, on the ports of the web. */
export const publicReach: Reach = {
  isAllowed: isPublicAddress,
  ports: new Set([80, 443, 8080, 8443]),
  resolve: (host) => lookup(host, { all: true }),
};

/** Throws for an address that must not be fetched, as far as it tells by itself; its host is judged when it is resolved. */
export function checkUrl(url: URL, reach: Reach): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AgentError('usage.bad-input', `"${url.protocol}" is no protocol of the web.`, {
      hint: 'Give an address that begins with https:// or http://.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new AgentError('policy.denied', `The address of ${url.hostname} holds a user name or password.`, {
      hint: 'Leave it out; pages that need a login cannot be fetched.',
    });
  }
  const port = Number(url.port === '' ? usualPorts[url.protocol] : url.port);
  if (reach.ports?.has(port) === false) {
    throw new AgentError('policy.denied', `Port ${port} of ${url.hostname} is none that is fetched from.`, {
      hint: `Use one of the ports ${[...reach.ports].join(', ')}.`,
    });
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !reach.isAllowed(host)) throw notPublic(url.hostname);
}

const usualPorts = { 'http:': 80, 'https:': 443 };

/** Resolves a host for a connection: what is checked here is what is connected to, and one forbidden address forbids the host. */
export function checkedLookup(reach: Reach): LookupFunction {
  return (host, { all }, done) => {
    reach.resolve(host).then(
      (found) => {
        const [first] = found;
        if (first === undefined) done(new Error(`no address for ${host}`), '');
        else if (!found.every(({ address }) => reach.isAllowed(address))) done(notPublic(host), '');
        else if (all === true) done(null, [...found]);
        else done(null, first.address, first.family);
      },
      (thrown: unknown) => done(thrown as Error, ''),
    );
  };
}

function notPublic(host: string): AgentError {
  return new AgentError('policy.denied', `${host} is not an address of the open internet.`, {
    hint: 'Only public pages can be fetched.',
  });
}
