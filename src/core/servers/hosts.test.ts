import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from './hosts.ts';

// prettier-ignore
const open = [
  '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.215.14', '100.63.255.255', '100.128.0.0', '126.255.255.255',
  '128.0.0.1', '168.63.129.15', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0',
  '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '203.0.112.255', '223.255.255.255',
  '2001:4860:4860::8888', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2003::1', '2600::', '3ffe::1',
];
// prettier-ignore
const closed = [
  // This network, private networks, loopback.
  '0.0.0.0', '0.1.2.3', '10.0.0.0', '10.0.0.1', '10.255.255.255', '127.0.0.1', '127.1.2.3', '127.255.255.255',
  '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255',
  // Link-local addresses, cloud metadata, carrier-grade NAT.
  '169.254.0.1', '169.254.169.254', '169.254.170.2', '168.63.129.16', '192.0.0.192', '100.64.0.0', '100.100.100.200',
  '100.127.255.255',
  // Documentation, benchmarks, relays, multicast, reserved, broadcast.
  '192.0.0.1', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '198.18.0.1',
  '198.19.255.255', '198.51.100.1', '203.0.113.255', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255',
  // IPv6: unspecified, loopback, unique local, link-local, site-local, multicast, discard.
  '::', '::1', 'fc00::1', 'fd00:ec2::254', 'fdff::1', 'fe80::1', 'fe80::1%eth0', '2606:4700::1%1', 'febf::1', 'fec0::1',
  'ff02::1', 'ff0e::1', '100::1',
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
  '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:10.0.0.1', '64:ff9b::7f00:1',
  '64:ff9b::169.254.169.254', '64:ff9b:1::a00:1', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2001::1',
  '2001:0:7f00:1::', '2001:1::1', '2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1', '5f00::1', '4000::1',
  '2620:4f:8000::1',
  // Invalid addresses, and spellings that only URLs accept.
  '', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '017700000001', '1.2.3', '1.2.3.4.5', '256.1.1.1', ' 8.8.8.8',
  '[2606:4700:4700::1111]', '2606:4700:4700::1111]:80/[', '2606:4700:4700::1111/', '2606:4700', '1:2:3:4:5:6:7:8:9',
];

test('the open internet is open', () => {
  for (const address of open) assert.equal(isPublicAddress(address), true, address);
});

test('everything else is closed', () => {
  assert.ok(closed.length > 60);
  for (const address of closed) assert.equal(isPublicAddress(address), false, address);
});
