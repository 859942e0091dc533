import { BlockList, isIP } from 'node:net';

// Networks of IPv4 that are not the open internet, by the registry of special addresses.
const closed4 = listOf('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // behind the translation of a carrier; some clouds keep their metadata here
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // the host of a virtual machine, in one cloud
  '169.254.0.0/16', // link-local; most clouds keep their metadata here
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // anycast for DNS
  '192.52.193.0/24', // relays of multicast
  '192.88.99.0/24', // relays from IPv6
  '192.168.0.0/16', // private
  '192.175.48.0/24', // anycast for DNS
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]);

// The only part of IPv6 that is given out, and what is special in it; all that embeds IPv4 lies outside or is listed.
const open6 = listOf('ipv6', ['2000::/3']);
const closed6 = listOf('ipv6', [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // anycast for DNS
  '3fff::/20', // documentation
]);

/** Whether an address in its usual spelling belongs to the open internet; pure. What is no address does not. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false; // bound to an interface of this machine
  const family = isIP(address);
  if (family === 4) return !closed4.check(address, 'ipv4');
  return family === 6 && open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6');
}

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
