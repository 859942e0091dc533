import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../json.ts';
import { readServerEntry, type ServerOrigin } from './read-server.ts';

const origins: readonly ServerOrigin[] = ['descriptor', 'settings', 'mcp-json'];
const stdio = { kind: 'stdio', name: 'a', command: 'x', args: [], env: {} };
const http = { kind: 'http', name: 'a', url: 'https://example.com/mcp', headers: {} };
const url = http.url;
const issuer = 'https://login.example.com';

describe('an entry of a server', () => {
  const good: readonly [what: string, from: readonly ServerOrigin[], entry: Json, read: object][] = [
    ['a program', origins, { command: 'x' }, stdio],
    ['an address', origins, { url }, http],
    ...['stdio'].map((type): [string, readonly ServerOrigin[], Json, object] => [
      `the type ${type}`,
      origins,
      { type, command: 'x', args: ['-y'], env: { A: 'b' } },
      { ...stdio, args: ['-y'], env: { A: 'b' } },
    ]),
    ...['http', 'streamable-http', 'streamableHttp'].map(
      (type): [string, readonly ServerOrigin[], Json, object] => [
        `the type ${type}`,
        origins,
        { type, url, headers: { 'X-Team': 'docs' } },
        { ...http, headers: { 'X-Team': 'docs' } },
      ],
    ),
    [
      'what it may do',
      origins,
      { command: 'x', workspace: 'read', hosts: ['*.example.org:443', 'localhost'], timeoutSeconds: 5 },
      { ...stdio, timeoutSeconds: 5, workspace: 'read', hosts: ['*.example.org:443', 'localhost'] },
    ],
    [
      'folders, secrets and skills',
      ['settings'],
      { command: 'x', read: ['/srv/files', '~/notes'], env: { KEY: { env: 'MY_KEY' } }, skills: true },
      { ...stdio, skills: true, read: ['/srv/files', '~/notes'], env: { KEY: { env: 'MY_KEY' } } },
    ],
    ['skills that are switched off', ['settings'], { command: 'x', skills: false }, stdio],
    ['a bearer', ['settings'], { url, bearer: { env: 'T' } }, { ...http, bearer: { env: 'T' } }],
    [
      'a client of an authorization server',
      ['settings'],
      { url, oauth: { clientId: 'me', issuer, clientSecret: { env: 'S' }, scope: 'tools' } },
      { ...http, oauth: { clientId: 'me', issuer, clientSecret: { env: 'S' }, scope: 'tools' } },
    ],
    [
      'an address with a variable',
      ['descriptor', 'mcp-json'],
      { url: '${BASE:-https://example.com}/mcp' },
      { ...http, url: '${BASE:-https://example.com}/mcp' },
    ],
    [
      'members of other programs',
      ['mcp-json'],
      { command: 'x', cwd: '/', autoApprove: ['read'], headers: {}, disabled: false },
      stdio,
    ],
    ['an empty env beside an address', ['mcp-json'], { url, env: {}, args: [] }, http],
  ];
  for (const [what, from, entry, read] of good) {
    for (const origin of from) {
      test(`with ${what} is read from ${origin}`, () => {
        const more = origin === 'mcp-json' ? { expands: true } : {};
        assert.deepEqual(readServerEntry('a', entry, origin), { ...read, ...more });
      });
    }
  }

  const bad: readonly [what: string, from: readonly ServerOrigin[], entry: Json, fault: RegExp][] = [
    ['neither command nor url', origins, {}, /^needs either a "command" or a "url"$/],
    ['both command and url', origins, { command: 'x', url }, /^needs either/],
    ['a blank command', origins, { command: ' ' }, /^has a blank "command"$/],
    ['a command that is no text', origins, { command: 1 }, /"command" that is not a string/],
    ['args that are no list', origins, { command: 'x', args: 'y' }, /"args"/],
    ['args that are no texts', origins, { command: 'x', args: [1] }, /"args"/],
    ['env that is no map', origins, { command: 'x', env: { A: 1 } }, /"env" that is not a map/],
    [
      'a reference',
      ['descriptor', 'mcp-json'],
      { command: 'x', env: { A: { env: 'B' } } },
      /"env" that is not a map of strings$/,
    ],
    ['a broken reference', ['settings'], { command: 'x', env: { A: { env: 'B C' } } }, /\{"env": "NAME"\}/],
    ['a url of another kind', origins, { url: 'file:///etc/passwd' }, /not http or https/],
    ['a url that is none', origins, { url: 'https://' }, /not http or https/],
    ['a variable for a url', ['settings'], { url: '${BASE}' }, /not http or https/],
    ['a password in the url', origins, { url: 'https://me:secret@example.com' }, /a password in it$/],
    ['headers that are no map', origins, { url, headers: [] }, /"headers"/],
    ['the type sse', origins, { type: 'sse', url }, /the outdated "type" "sse" \(use "http"/],
    ['an unknown type', origins, { type: 'ws', url }, /neither "stdio" nor "http"/],
    ['a type that does not fit', origins, { type: 'stdio', url }, /the "type" "stdio" and a "url"/],
    ['an unknown member', ['descriptor', 'settings'], { command: 'x', disabled: true }, /field "disabled"/],
    ['env beside a url', ['descriptor', 'settings'], { url, env: {} }, /"env", which requires a "command"/],
    [
      'a bearer in a file',
      ['descriptor'],
      { url, bearer: 'x' },
      /"bearer", which is only allowed in settings$/,
    ],
    [
      'skills in a file',
      ['descriptor'],
      { command: 'x', skills: true },
      /"skills", which is only allowed in settings$/,
    ],
    [
      'folders in a file',
      ['descriptor'],
      { command: 'x', read: ['/'] },
      /"read", which is only allowed in settings$/,
    ],
    ['a relative folder', ['settings'], { command: 'x', read: ['notes'] }, /"read"/],
    ['a host that is none', ['descriptor', 'settings'], { command: 'x', hosts: ['a b'] }, /"hosts"/],
    ['a workspace of another kind', ['descriptor'], { command: 'x', workspace: true }, /"workspace"/],
    ['no time', ['descriptor'], { command: 'x', timeoutSeconds: 0 }, /"timeoutSeconds"/],
    ['skills of another kind', ['settings'], { command: 'x', skills: 'all' }, /"skills"/],
    ['a client without a name', ['settings'], { url, oauth: { clientSecret: 'x' } }, /"clientId"/],
    ['a client without a secret', ['settings'], { url, oauth: { clientId: 'x', issuer } }, /neither/],
    ['a client of anybody', ['settings'], { url, oauth: { clientId: 'x', clientSecret: 'y' } }, /"issuer"/],
    [
      'an issuer of another kind',
      ['settings'],
      { url, oauth: { ...client(), issuer: 'file:///' } },
      /"issuer"/,
    ],
    ['a bearer and a client', ['settings'], { url, bearer: 'x', oauth: client() }, /both/],
    ['no object', origins, 'npx', /^is not an object$/],
  ];
  for (const [what, from, entry, fault] of bad) {
    for (const origin of from) {
      test(`with ${what} is refused from ${origin}`, () => {
        const read = readServerEntry('a', entry, origin);
        assert.ok(typeof read === 'string', JSON.stringify(read));
        assert.match(read, fault);
      });
    }
  }

  for (const name of ['', 'a b', 'a__b', '_a', 'a_', 'a.b', '__proto__', 'a/b']) {
    test(`named ${JSON.stringify(name)} is refused`, () => {
      assert.match(JSON.stringify(readServerEntry(name, { command: 'x' }, 'settings')), / name/);
    });
  }
});

function client(): JsonObject {
  return { clientId: 'x', clientSecret: 'y', issuer };
}
