import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainHost, readNetworkReach } from './dial.ts';

test('a name means itself, at every port', () => {
  const reach = readNetworkReach(['Example.org.']);
  assert.ok(reach.includes('example.org', 443) && reach.includes('example.org', 22));
  for (const other of ['www.example.org', 'example.org.evil.com', 'evilexample.org', 'org', '']) {
    assert.equal(reach.includes(other, 443), false, other);
  }
});

test('a star means what is below a name, and not the name itself', () => {
  const reach = readNetworkReach(['*.example.org']);
  assert.ok(reach.includes('a.example.org', 443) && reach.includes('a.b.example.org', 443));
  for (const other of ['example.org', 'evilexample.org', 'a.example.org.evil.com']) {
    assert.equal(reach.includes(other, 443), false, other);
  }
});

test('a port means that port alone', () => {
  const reach = readNetworkReach(['example.org:8443', '*.example.org:80', '[2606:4700::1]:443']);
  assert.deepEqual(
    [8443, 443].map((port) => reach.includes('example.org', port)),
    [true, false],
  );
  assert.ok(reach.includes('a.example.org', 80) && !reach.includes('a.example.org', 81));
  assert.ok(reach.includes('2606:4700::1', 443) && !reach.includes('2606:4700::1', 80));
  assert.ok(reach.includes('example.org'));
});

test('addresses that are not of the open internet must be named themselves', () => {
  const reach = readNetworkReach(['example.org', '10.0.0.7', '192.168.1.1:80', '[fd00::1]']);
  assert.ok(reach.includesAddress('93.184.215.14', 1));
  assert.ok(reach.includesAddress('10.0.0.7', 1) && reach.includesAddress('fd00:0::1', 1));
  assert.ok(reach.includesAddress('192.168.1.1', 80) && !reach.includesAddress('192.168.1.1', 81));
  for (const closed of ['10.0.0.8', '127.0.0.1', '::1', '169.254.169.254', '::ffff:127.0.0.1']) {
    assert.equal(reach.includesAddress(closed, 80), false, closed);
  }
});

test('localhost means the addresses of this machine, at that port', () => {
  const reach = readNetworkReach(['localhost:8080']);
  for (const own of ['localhost', '127.0.0.1', '::1']) {
    assert.ok(reach.includes(own, 8080) && !reach.includes(own, 8081), own);
  }
  assert.ok(reach.includesAddress('127.0.0.1', 8080) && !reach.includesAddress('127.0.0.2', 8080));
});

test('a host has one spelling', () => {
  const spellings = [
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.0.0.1.',
      '１２７.0.0.1',
      '%31%32%37.0.0.1',
    ],
  ];
  for (const spelling of spellings) assert.equal(plainHost(spelling), '127.0.0.1', spelling);
  for (const spelling of ['::1', '[::1]', '0:0::1', '[0:0:0:0:0:0:0:1]']) {
    assert.equal(plainHost(spelling), '::1', spelling);
  }
  assert.equal(plainHost('BÜCHER.example.'), 'xn--bcher-kva.example');
});

test('what is not a host is refused', () => {
  const wrong = [
    ...[
      '',
      ' ',
      '*',
      '*.',
      '.',
      'a*.org',
      '*.*.org',
      'https://example.org',
      'example.org/path',
      'a b',
      'a@b.org',
    ],
    ...['example.org:99999', 'example.org:x', '*.127.0.0.1', '*.[::1]', 'a\\b', 'a?b', '[::1', 'x\ny'],
  ];
  for (const host of wrong) {
    assert.throws(() => readNetworkReach([host]), { code: 'usage.bad-input' }, JSON.stringify(host));
  }
});
