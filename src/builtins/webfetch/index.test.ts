import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesUrl } from './index.ts';

test('a domain means itself and what is below it', () => {
  const spec = 'domain:example.com';
  for (const url of [
    'https://example.com',
    'http://example.com:8080/x?y#z',
    'https://EXAMPLE.com./',
    'https://docs.a.example.com/',
  ])
    assert.equal(matchesUrl(spec, url), true, url);
  for (const url of [
    'https://badexample.com/',
    'https://example.com.evil.net/',
    'https://evil.net/?example.com',
    'https://example.com@evil.net/',
    'https://evil.net/#.example.com',
    'example.com',
  ])
    assert.equal(matchesUrl(spec, url), false, url);
  assert.equal(matchesUrl('domain:EXAMPLE.com', 'https://example.com/'), true);
  assert.equal(matchesUrl('domain:münchen.de', 'https://xn--mnchen-3ya.de/'), true);
  for (const odd of ['domain:', 'domain:*', 'domain:com/x', 'domain:.', 'domain', 'example.com', ''])
    assert.equal(matchesUrl(odd, 'https://example.com/'), false, odd);
});

test('an address means itself and what is below it', () => {
  const spec = 'https://example.com/docs';
  for (const url of [
    'https://example.com/docs',
    'https://example.com/docs/a?b#c',
    'https://example.com:443/docs?x',
  ])
    assert.equal(matchesUrl(spec, url), true, url);
  for (const url of [
    'https://example.com/docs-of-others',
    'https://example.com/docs/../secret',
    'https://example.com/docs/%2e%2e/secret',
    'http://example.com/docs',
    'https://example.com.evil.net/docs',
    'https://example.com:8443/docs',
  ])
    assert.equal(matchesUrl(spec, url), false, url);
  assert.equal(matchesUrl('https://example.com', 'https://example.com.evil.net/'), false);
  assert.equal(matchesUrl('https://example.com/*', 'https://example.com/x'), true);
  assert.equal(matchesUrl('https://example.com/a?b=1', 'https://example.com/a?b=1'), true);
  assert.equal(matchesUrl('https://example.com/a?b=1', 'https://example.com/a?b=12'), false);
});
