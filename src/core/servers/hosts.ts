import { lazy } from '../collections.ts';

// IPv4 networks that are not on the public internet, according to the special-purpose address registry.
const closed4 = lazy(() =>
  [
    '0.0.0.0/8', // this network
    '10.0.0.0/8', // private
    '100.64.0.0/10', // carrier-grade NAT; some clouds serve metadata here
    '127.0.0.0/8', // loopback
    '168.63.129.16/32', // the host of a virtual machine in Azure
    '169.254.0.0/16', // link-local; most clouds serve metadata here
    '172.16.0.0/12', // private
    '192.0.0.0/24', // protocol assignments
    '192.0.2.0/24', // documentation
    '192.31.196.0/24', // anycast for DNS
    '192.52.193.0/24', // multicast relays
    '192.88.99.0/24', // 6to4 relays
    '192.168.0.0/16', // private
    '192.175.48.0/24', // anycast for DNS
    '198.18.0.0/15', // benchmarks
    '198.51.100.0/24', // documentation
    '203.0.113.0/24', // documentation
    '224.0.0.0/4', // multicast
    '240.0.0.0/4', // reserved, and broadcast
  ].map(bitsOfNetwork),
);

// The only allocated block of global IPv6 addresses, followed by the special-purpose networks in it. All
// ranges that embed IPv4 addresses are either outside this block or listed below.
const open6 = lazy(() => bitsOfNetwork('2000::/3'));
const closed6 = lazy(() =>
  [
    '2001::/23', // protocol assignments, including Teredo
    '2001:db8::/32', // documentation
    '2002::/16', // 6to4
    '2620:4f:8000::/48', // anycast for DNS
    '3fff::/20', // documentation
  ].map(bitsOfNetwork),
);

/**
 * Whether an address in its usual notation is on the public internet. False for anything that is not an
 * address. Pure.
 */
export function isPublicAddress(address: string): boolean {
  const isIn = (network: string): boolean => bits.startsWith(network);
  const bits = bitsOf(address);
  if (bits.length === 32) return !closed4().some(isIn);
  return bits.length === 128 && isIn(open6()) && !closed6().some(isIn);
}

/** Returns the leading bits that all addresses of a network share. */
function bitsOfNetwork(network: string): string {
  const [address = '', shared] = network.split('/');
  return bitsOf(address).slice(0, Number(shared));
}

/**
 * Converts an address to a string of 32 or 128 binary digits. Returns an empty string if the text is not an
 * address, or if the address has an interface suffix, such as `fe80::1%eth0`.
 */
function bitsOf(address: string): string {
  if (/^\d+(?:\.\d+){3}$/.test(address)) return bitsOf4(address);
  return /^[\da-f:.]*:[\da-f:.]*$/i.test(address) ? bitsOf6(address) : '';
}

function bitsOf4(address: string): string {
  // Octal numbers and numbers over 255 are invalid.
  const isUsual = URL.parse(`http://${address}/`)?.hostname === address;
  return isUsual ? address.split('.').map(binary(8)).join('') : '';
}

function bitsOf6(address: string): string {
  // The URL parser converts an embedded IPv4 address to two hexadecimal groups.
  const full = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (full === undefined) return '';
  const [head = [], tail = []] = full.split('::').map((half) => half.split(':').filter(Boolean));
  const missing = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...missing, ...tail]
    .map((group) => String(Number.parseInt(group, 16)))
    .map(binary(16))
    .join('');
}

function binary(digits: number): (number: string) => string {
  return (number) => Number(number).toString(2).padStart(digits, '0');
}

/**
 * Matches a granted host: a name (optionally with all subdomains) or an address, each with an optional port;
 * or `*` for every host.
 */
export const hostPattern = /^(?:\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/;
