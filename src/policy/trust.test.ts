import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import type { Decision, PermissionRequest, PermissionSubject, Permissions, Pin } from '../core/policy.ts';
import { sources } from '../core/skill.ts';
import { createPolicy, type PolicyTrustBook } from './policy.ts';
import { openTrustBook } from './trust-book.ts';
import { needsTrust } from './trust.ts';

test('trust is needed by code that a project, a plugin or a server brings, and by all that a server offers', () => {
  const needing = (runsCode: boolean, isDefinedInCode = false): readonly string[] =>
    sources.filter((source) => needsTrust({ source, runsCode, isDefinedInCode }));
  assert.deepEqual(needing(true), ['project', 'plugin', 'mcp']);
  assert.deepEqual(needing(false), ['mcp']);
  assert.deepEqual(needing(false, true), []);
});

const pin: Pin = { key: 'sha256:files', hash: `sha256:${'ab'.repeat(32)}`, name: 'files.read_file' };
const other: Pin = { ...pin, hash: `sha256:${'cd'.repeat(32)}` };
const digest = 'sha256:caller';

const caller: PermissionSubject = {
  skill: 'reader',
  aliases: [],
  source: 'user',
  isDefinedInCode: false,
  dir: '/reader',
  digest: () => digest,
};

/** Creates the policy's request for a skill's call of a tool. */
function requestFor(current: Pin, more: Partial<PermissionRequest> = {}): PermissionRequest {
  return {
    skill: current.name,
    aliases: [],
    family: 'any',
    source: 'mcp',
    isDefinedInCode: true,
    dir: '',
    caller,
    digest: () => undefined,
    runsCode: false,
    input: {},
    workspace: '/w',
    isSandboxed: true,
    permission: { label: 'mcp__files__read_file', effect: 'It uses a tool.', pin: current },
    ...more,
  };
}

async function decide(
  book: PolicyTrustBook,
  current: Pin,
  permissions: Permissions = {},
  more: Partial<PermissionRequest> = {},
): Promise<Decision> {
  return createPolicy(permissions, book).decide(requestFor(current, more));
}

const allows = { allow: ['mcp__files__*'] };
const callerWithTools = { caller: { ...caller, tools: ['mcp__files__read_file'] } };

describe('a tool of a server', () => {
  test('is asked about under a rule that holds for its definition alone', async () => {
    const book = openTrustBook(undefined);
    assert.deepEqual(await decide(book, pin), {
      decision: 'ask',
      reason: 'It uses a tool.',
      rule: 'mcp__files__read_file(sha256 abababababab)',
      pin,
      version: { skill: 'reader', digest },
    });
    assert.deepEqual(book.list().pins, [], 'a question keeps nothing');
  });

  test('is not allowed by a rule for one that differs in case, which may be another tool of the same server', async () => {
    const permission = { label: 'mcp__files__READ_file', effect: 'It uses a tool.', pin };
    const book = openTrustBook(undefined);
    assert.equal(
      (await decide(book, pin, { allow: ['mcp__files__read_file'] }, { permission })).decision,
      'ask',
    );
    assert.equal(
      (await decide(book, pin, { deny: ['mcp__files__read_file'] }, { permission })).decision,
      'deny',
    );
    assert.equal((await decide(book, pin, allows, { permission })).decision, 'allow');
  });

  const ways: Readonly<Record<string, readonly [Permissions, Partial<PermissionRequest>]>> = {
    'a rule': [allows, {}],
    'the rule of the whole tool': [{ allow: ['mcp__files__read_file'] }, {}],
    'the list of a trusted skill': [{}, callerWithTools],
  };
  for (const [what, [permissions, more]] of Object.entries(ways)) {
    test(`that ${what} allows is known from its first use on, and asked about when it is another one`, async () => {
      const book = openTrustBook(undefined);
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(await decide(book, pin, permissions, more), { decision: 'allow' });
      assert.equal(book.pinOf(pin.key), pin.hash);
      const said = await decide(book, other, permissions, more);
      assert.ok(said.decision === 'ask' && said.each === undefined);
      assert.match(said.reason, /"files\.read_file" have changed since it was allowed\. /);
      assert.deepEqual([said.rule, said.pin], ['mcp__files__read_file(sha256 cdcdcdcdcdcd)', other]);
      assert.equal(book.pinOf(pin.key), pin.hash, 'a question keeps nothing');
      assert.deepEqual(await decide(book, pin, permissions, more), { decision: 'allow' });
    });
  }

  test('that a person allows for good is known as what that person saw', async () => {
    const book = openTrustBook(undefined);
    const allowed = async (current: Pin): Promise<void> => {
      const said = await decide(book, current);
      assert.ok(said.decision === 'ask' && said.version !== undefined && said.pin !== undefined);
      const approval = { ...said.version, rule: said.rule, pin: said.pin, dir: '/reader' };
      await createPolicy({}, book).remember?.(approval);
    };
    await allowed(pin);
    assert.equal((await decide(book, pin)).decision, 'allow');
    assert.equal((await decide(book, other)).decision, 'ask');
    await allowed(other);
    assert.equal((await decide(book, other)).decision, 'allow');
    assert.equal((await decide(book, pin)).decision, 'ask', 'what it was before is now a change');
    assert.equal(book.list().leave.length, 1, 'leave for what it was before is gone');
    const { pins, leave } = await book.revoke((entry) => 'hash' in entry);
    assert.deepEqual([pins.length, leave.length], [1, 1], 'leave ends with the pin');
    assert.equal((await decide(book, other)).decision, 'ask');
  });

  test('of one server says nothing of one of the same name', async () => {
    const book = openTrustBook(undefined);
    const twin = { ...pin, key: 'sha256:another-server' };
    const { rule } = (await decide(book, pin)) as { rule: string };
    await createPolicy({}, book).remember?.({ skill: 'reader', digest, rule, pin, dir: '' });
    assert.equal((await decide(book, pin)).decision, 'allow');
    assert.equal((await decide(book, twin)).decision, 'ask');
  });

  test('that rules deny or ask about is denied and asked about', async () => {
    const book = openTrustBook(undefined);
    for (const rule of ['mcp__files__*', 'mcp__files__read_file', 'mcp__*'])
      assert.equal((await decide(book, pin, { ...allows, deny: [rule] })).decision, 'deny');
    const said = await decide(book, pin, { ...allows, ask: ['mcp__files__read_file'] });
    assert.ok(said.decision === 'ask' && said.rule.endsWith('(sha256 abababababab)'));
    await decide(book, pin, allows);
    assert.equal((await decide(book, other, { deny: ['mcp__files__*'] })).decision, 'deny');
  });
});

test('where pins cannot be kept, what needs no question otherwise is asked about', async () => {
  using files = tree();
  mkdirSync(files.at('trust.json'));
  const said = await decide(openTrustBook(files.at('trust.json')), pin, allows);
  assert.ok(said.decision === 'ask');
  assert.match(said.reason, /^Its current definition cannot be saved: .*trust\.json/);

  await openTrustBook(files.at('own/trust.json')).pin(pin);
  chmodSync(files.at('own/trust.json'), 0o666);
  assert.equal((await decide(openTrustBook(files.at('own/trust.json')), pin, allows)).decision, 'ask');
});

test('a skill of a server is asked about before its first use, whatever rules and its own list say, and trusted by its digest', async () => {
  const book = openTrustBook(undefined);
  const skill = {
    skill: 'notes',
    source: 'mcp',
    isDefinedInCode: false,
    permission: {},
    digest: () => 'sha256:n',
  } as const;
  const rules = { allow: ['Skill', 'Skill(notes)', '*'] };
  const said = await decide(book, pin, rules, skill);
  assert.ok(said.decision === 'ask');
  assert.match(said.reason, /^This skill comes from a server and is not trusted yet\b/);
  assert.deepEqual([said.rule, said.version], ['Trust(notes@n)', { skill: 'notes', digest: 'sha256:n' }]);
  const withCode = await decide(book, pin, rules, { ...skill, runsCode: true });
  assert.ok(withCode.decision === 'ask' && withCode.reason.includes('and its files can run code'));
  const policy = createPolicy({}, book);
  assert.equal(policy.trusts?.(skill), false);
  await policy.remember?.({ skill: 'notes', digest: 'sha256:n', rule: said.rule, dir: '' });
  assert.equal((await decide(book, pin, {}, skill)).decision, 'allow');
  assert.equal(policy.trusts?.(skill), true);
  assert.equal((await decide(book, pin, {}, { ...skill, digest: () => 'sha256:m' })).decision, 'ask');
  assert.equal((await decide(book, pin, {}, { ...skill, digest: () => undefined })).decision, 'deny');
});

test('the question about trust says what the skill does', async () => {
  const permission = { runsOwnCode: true, effect: 'It starts the server "files".' };
  const foreign = {
    skill: 'f',
    source: 'project',
    isDefinedInCode: false,
    runsCode: true,
    permission,
  } as const;
  const said = await decide(
    openTrustBook(undefined),
    pin,
    {},
    { ...foreign, digest: () => 'sha256:f', tools: ['mcp__files__*'] },
  );
  assert.ok(said.decision === 'ask');
  assert.match(
    said.reason,
    /is not trusted yet\. It starts the server "files"\. If you trust the skill permanently, it can also use mcp__files__\*/,
  );
  const open = await decide(openTrustBook(undefined), pin, {}, { ...foreign, isSandboxed: false });
  assert.ok(open.decision === 'ask' && open.reason.includes('It starts the server "files".'));
});
