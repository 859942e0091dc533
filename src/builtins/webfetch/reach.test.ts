import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkUrl, publicReach } from './fetch-page.ts';

test('an address is closed in every spelling that a URL may give it', () => {
  // prettier-ignore
  const hosts = [
    '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '017700000001', '0177.0.0.1', '0x7f000001', '0x7f.1',
    '0X7F.0.0.0x1', '%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1', '0', '0.0.0.0', '169.254.169.254', '2852039166',
    '0xa9fea9fe', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]',
    '[fe80::1]', '[fd00:ec2::254]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]',
  ];
  for (const host of hosts) {
    assert.throws(() => checkUrl(new URL(`http://${host}/`), publicReach), { code: 'policy.denied' }, host);
  }
  checkUrl(new URL('http://93.184.215.14/'), publicReach);
  checkUrl(new URL('http://[2606:4700:4700::1111]/'), publicReach);
});

test('only the web is fetched: its protocols, its ports, and no one logged in', () => {
  const codeOf = (url: string): string => {
    try {
      checkUrl(new URL(url), publicReach);
      return '';
    } catch (thrown) {
      const { code, message } = thrown as Error & { code: string };
      assert.doesNotMatch(message, /secret/);
      return code;
    }
  };
  for (const url of [
    'http://a.com',
    'https://a.com',
    'http://a.com:8080',
    'https://a.com:8443',
    'http://a.com:443',
  ])
    assert.equal(codeOf(url), '', url);
  for (const url of ['http://a.com:22', 'http://a.com:6379', 'https://a.com:3000', 'http://a.com:0'])
    assert.equal(codeOf(url), 'policy.denied', url);
  for (const url of ['https://user:secret@a.com/', 'https://secret@a.com/', 'https://:secret@a.com/'])
    assert.equal(codeOf(url), 'policy.denied', url);
  for (const url of ['file:///etc/passwd', 'ftp://a.com/', 'data:text/plain,x', 'javascript:1'])
    assert.equal(codeOf(url), 'usage.bad-input', url);
});
