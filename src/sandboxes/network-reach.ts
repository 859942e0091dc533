import { AgentError } from '../core/error.ts';
import { isPublicAddress } from '../core/servers/hosts.ts';

/** What of the network the named hosts let a sandbox reach; hosts and addresses as a URL spells them. */
export interface NetworkReach {
  /** Whether a name or an address may be asked for, at any port when none is given. */
  includes(host: string, port?: number): boolean;
  /** Whether what a name leads to may be connected to: the open internet, and else only an address that was itself named. */
  includesAddress(address: string, port: number): boolean;
}

interface Named {
  readonly host: string;
  readonly below: boolean;
  readonly port: number | undefined;
}

/** Reads `example.org`, `*.example.org`, `192.0.2.1`, `[::1]` or `localhost`, each with a port or without. */
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

/** A host in the spelling of a URL, without brackets and without the dot at its end; undefined for what is none. */
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
    throw new AgentError('usage.bad-input', `"${text}" is no host.`, {
      hint: 'Write a host as example.org, *.example.org or example.org:8443, without https:// and without a path.',
    });
  }
  const alike = host === 'localhost' && !below ? [host, ...ownMachine] : [host];
  return alike.map((each) => ({ host: each, below, port }));
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host);
}
