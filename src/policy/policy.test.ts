import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Decision, InputParts, PermissionRequest, Permissions } from '../core/policy.ts';
import { sources } from '../core/skill.ts';
import { createPolicy, type PolicyTrustBook } from './policy.ts';
import { openTrustBook } from './trust-book.ts';

const digest = 'sha256:abcdefabcdefabcdef';

function requestFor(more: Partial<PermissionRequest> = {}): PermissionRequest {
  return {
    skill: 'x',
    aliases: ['alias-x'],
    family: 'any',
    source: 'project',
    isDefinedInCode: false,
    dir: '/x',
    digest: () => digest,
    runsCode: false,
    permission: {},
    input: null,
    workspace: '/w',
    isSandboxed: true,
    ...more,
  };
}

function decide(
  more: Partial<PermissionRequest>,
  permissions: Permissions = {},
  book: PolicyTrustBook = openTrustBook(undefined),
): Decision {
  return createPolicy(permissions, book).decide(requestFor(more)) as Decision;
}

const bash = {
  permission: {
    label: 'Bash',
    runsProcesses: true,
    matches: (spec: string, input: unknown) => (input as { command: string }).command.startsWith(spec),
    parts: (input: unknown) => ({
      parts: (input as { command: string }).command.split(' && ').map((command) => ({ command })),
      areAll: true,
    }),
  },
  input: { command: 'git diff && git log' },
  source: 'bundled',
  isDefinedInCode: true,
} as const;

describe('before any rule', () => {
  test('what changes nothing is allowed, wherever it comes from', () => {
    for (const source of sources) {
      const isDefinedInCode = source === 'mcp'; // only tools: a skill of a server has a text, which needs trust
      assert.equal(
        decide({ source, isDefinedInCode, permission: { readOnly: true } }).decision,
        'allow',
        source,
      );
    }
  });

  test('a skill all of whose effects are calls is allowed, and what the host itself made', () => {
    assert.equal(decide({}).decision, 'allow');
    const permission = { label: 'Write' };
    assert.equal(decide({ isDefinedInCode: true, source: 'explicit', permission }).decision, 'allow');
    assert.equal(decide({ isDefinedInCode: false, source: 'explicit', permission }).decision, 'ask');
    for (const source of sources.filter((one) => one !== 'explicit'))
      assert.equal(decide({ isDefinedInCode: true, source, permission }).decision, 'ask', source);
  });

  test('no one looks at the files of a skill for a call that does not depend on them', () => {
    const unread = (): string => assert.fail('its files were looked at');
    assert.equal(decide({ digest: unread }).decision, 'allow');
    assert.equal(decide({ digest: unread, source: 'explicit', runsCode: true }).decision, 'allow');
    assert.equal(decide({ digest: unread, permission: { readOnly: true } }).decision, 'allow');
  });

  test('a person is asked about a tool with an effect, under its label', () => {
    const permission = { label: 'Write', effect: 'It writes a file.' };
    assert.deepEqual(decide({ permission, digest: () => undefined }), {
      decision: 'ask',
      reason: 'It writes a file.',
      rule: 'Write',
    });
  });

  test('a command is asked about with its words', () => {
    const said = decide({ ...bash, digest: () => undefined });
    assert.deepEqual(said, {
      decision: 'ask',
      reason: 'It runs a command: git diff && git log',
      rule: 'Bash(git diff && git log)',
    });
  });
});

describe('code', () => {
  test('of a project, a package or a server is asked about until its files are trusted', () => {
    for (const source of sources) {
      const isForeign = ['project', 'plugin', 'mcp'].includes(source);
      const said = decide({ source, runsCode: true });
      assert.equal(said.decision, isForeign ? 'ask' : 'allow', source);
      if (said.decision === 'ask') assert.deepEqual(said.version, { skill: 'x', digest });
    }
  });

  test('is trusted as it was: one changed byte asks again', async () => {
    const book = openTrustBook(undefined);
    const policy = createPolicy({}, book);
    const asked = (await policy.decide(requestFor({ runsCode: true }))) as { rule: string };
    await policy.remember?.({ skill: 'x', digest, rule: asked.rule, dir: '/x' });
    assert.equal(decide({ runsCode: true }, {}, book).decision, 'allow');
    const reasonFor = (more: Partial<PermissionRequest>): string => {
      const said = decide({ runsCode: true, digest: () => 'sha256:other', ...more }, {}, book);
      return said.decision === 'ask' ? said.reason : said.decision;
    };
    assert.match(reasonFor({}), /its files changed since it was trusted\.$/);
    assert.match(reasonFor({ dir: '/elsewhere' }), /is not trusted yet\.$/);
  });

  test('that is not trusted is not let in by a rule or by what its files say', () => {
    const rules = { allow: ['*', 'Skill', 'Skill(x)', 'Trust(x)'] };
    assert.equal(decide({ runsCode: true }, rules).decision, 'ask');
  });

  test('whose files cannot be read is denied', () => {
    assert.equal(decide({ runsCode: true, digest: () => undefined }).decision, 'deny');
  });
});

describe('without a sandbox', () => {
  test('each process needs approval, whatever the origin of the skill and the rules', () => {
    for (const source of sources) {
      const said = decide({ ...bash, source, isSandboxed: false }, { allow: ['Bash'] });
      assert.ok(said.decision === 'ask' && said.each === true && said.version === undefined, source);
      assert.match(said.reason, /without a sandbox.*: git diff && git log$/);
    }
  });

  test('a command is shown completely to the person who is asked', () => {
    const reasonOf = (command: string): string => {
      const said = decide({ ...bash, isSandboxed: false, input: { command } });
      return said.decision === 'ask' ? said.reason.replace(/^.*?you can do: /, '') : '';
    };
    assert.equal(reasonOf('echo a\nrm b'), 'echo a\\nrm b');
    assert.equal(reasonOf('a\u202eb\u200bc\u001b[1Ad\r'), 'a\\u{202e}b\\u{200b}c\\u{1b}[1Ad\\u{d}');
    assert.equal(reasonOf(`${'x'.repeat(200)}; rm -r *`), `${'x'.repeat(200)}… (9 more characters)`);
  });

  test('what is denied is not asked about', () => {
    assert.equal(decide({ ...bash, isSandboxed: false }, { deny: ['Bash'] }).decision, 'deny');
  });
});

describe('rules', () => {
  const cases: readonly (readonly [Permissions, Decision['decision']])[] = [
    [{ allow: ['Bash'] }, 'allow'],
    [{ allow: ['bash'] }, 'allow'],
    [{ allow: ['Bash(git diff)', 'Bash(git log)'] }, 'allow'],
    [{ allow: ['Bash(git diff)'] }, 'ask'],
    [{ allow: ['Bash'], ask: ['Bash(git log)'] }, 'ask'],
    [{ allow: ['Bash'], deny: ['Bash(git log)'] }, 'deny'],
    [{ ask: ['Bash'], deny: ['Skill(alias-x)'] }, 'deny'],
    [{ allow: ['Read', 'Bash(', 'Bash()', ''] }, 'ask'],
  ];
  for (const [rules, expected] of cases)
    test(JSON.stringify(rules), () => assert.equal(decide(bash, rules).decision, expected));

  test('that ask are heard about what is harmless otherwise, and leave no lasting answer', () => {
    const said = decide({ permission: { readOnly: true, label: 'Read' } }, { ask: ['Read'] });
    assert.ok(said.decision === 'ask' && said.version === undefined);
    assert.match(said.reason, /^The rule Read requires approval\. /);
  });

  test('that deny say which one it was', () => {
    const said = decide(bash, { deny: ['Bash(git log)'] });
    assert.deepEqual(said, { decision: 'deny', reason: 'the rule Bash(git log) forbids it.' });
  });

  test('that deny what a search could touch say how to keep away from it', () => {
    const permission = { label: 'Grep', readOnly: true, matches: () => false, mayTouch: () => true };
    const said = decide({ permission }, { deny: ['Grep(private/**)'] });
    assert.ok(said.decision === 'deny');
    assert.match(said.reason, /^the rule Grep\(private\/\*\*\) forbids paths .*touch\. Choose a path/);
  });
});

describe('the tools that a caller names for itself', () => {
  const caller = (source: 'project' | 'user', tools: readonly string[]): PermissionRequest['caller'] => ({
    skill: 'c',
    aliases: [],
    source,
    isDefinedInCode: false,
    dir: '/c',
    tools,
    digest: () => 'sha256:caller',
  });

  test('count for trusted files alone', async () => {
    const called = (source: 'project' | 'user', book?: PolicyTrustBook): string =>
      decide({ ...bash, caller: caller(source, ['Bash(git)'])! }, {}, book).decision;
    assert.equal(called('user'), 'allow');
    assert.equal(called('project'), 'ask');
    const book = openTrustBook(undefined);
    await book.trust({ digest: 'sha256:caller', name: 'c', dir: '/c' });
    assert.equal(called('project', book), 'allow');
  });

  test('do not go before a rule that asks or denies', () => {
    const from = { ...bash, caller: caller('user', ['Bash'])! };
    assert.equal(decide(from, { ask: ['Bash'] }).decision, 'ask');
    assert.equal(decide(from, { deny: ['Bash'] }).decision, 'deny');
  });

  test('count for a conversation that loaded it, unless that is the work of a skill that is not trusted', async () => {
    const book = openTrustBook(undefined);
    const active = [{ ...caller('user', ['Bash(git)'])!, skill: 'loaded' }];
    const decided = (by?: PermissionRequest['caller']): string =>
      decide({ ...bash, active, ...(by === undefined ? {} : { caller: by }) }, {}, book).decision;
    assert.equal(decided(), 'allow');
    assert.equal(decided(caller('user', [])), 'allow');
    assert.equal(decided(caller('project', [])), 'ask');
    await book.trust({ digest: 'sha256:caller', name: 'c', dir: '/c' });
    assert.equal(decided(caller('project', [])), 'allow');
  });

  test('leave for a version is that of the caller, under the rule that was shown', async () => {
    const book = openTrustBook(undefined);
    const policy = createPolicy({}, book);
    const request = requestFor({ permission: { label: 'Write' }, caller: caller('project', [])! });
    const asked = (await policy.decide(request)) as Extract<Decision, { decision: 'ask' }>;
    assert.deepEqual(asked.version, { skill: 'c', digest: 'sha256:caller' });
    await policy.remember?.({ ...asked.version, rule: asked.rule, dir: '/c' });
    assert.equal((await policy.decide(request)).decision, 'allow');
    const other = requestFor({ permission: { label: 'Edit' }, caller: caller('project', [])! });
    assert.equal((await policy.decide(other)).decision, 'ask');
    const changed = { ...request, caller: { ...request.caller!, digest: () => 'sha256:changed' } };
    assert.equal((await policy.decide(changed)).decision, 'ask');
  });
});

test('what is offered for longer is as narrow as the tool can tell', () => {
  const parts = (): InputParts => ({ parts: [{}], areAll: true, offer: '/notes/*' });
  const said = decide({ permission: { label: 'Write', parts } });
  assert.equal(said.decision === 'ask' && said.rule, 'Write(/notes/*)');
});

test('a question about trust says what else it allows', () => {
  const said = decide({ runsCode: true, tools: ['Bash(git *)', 'Read'] });
  assert.match(said.decision === 'ask' ? said.reason : '', /it can also use Bash\(git \*\), Read without/);
});

describe('what a skill does to its own folder', () => {
  const permission = { label: 'Generate', isOwn: (input: unknown, dir: string) => input === dir };
  const caller = { skill: 'c', aliases: [], source: 'project', isDefinedInCode: false, dir: '/c' } as const;
  const own = { permission, isDefinedInCode: true, source: 'bundled', input: '/c' } as const;

  test('is allowed with its code, whether that is trusted or was allowed for the run', () => {
    const foreign = { ...caller, digest: () => digest };
    assert.equal(decide({ ...own, caller: foreign }).decision, 'ask');
    assert.equal(decide({ ...own, caller: { ...foreign, runsCode: () => true } }).decision, 'allow');
    assert.equal(decide({ ...own, caller: { ...foreign, source: 'explicit' } }).decision, 'allow');
  });

  test('needs approval for any other folder, without a caller, and if a rule says so', () => {
    const trusted = { ...caller, source: 'explicit', digest: () => digest } as const;
    assert.equal(decide({ ...own, input: '/d', caller: trusted }).decision, 'ask');
    assert.equal(decide(own).decision, 'ask');
    assert.equal(decide({ ...own, caller: trusted }, { ask: ['Generate'] }).decision, 'ask');
    assert.equal(decide({ ...own, caller: trusted }, { deny: ['Generate'] }).decision, 'deny');
  });
});

describe('files that were made of others', () => {
  const other = 'sha256:0123456789abcdef';
  const to = { skill: 'x', digest: other, dir: '/x' };

  test('have the trust and the leave that those had, and no more', async () => {
    const book = openTrustBook(undefined);
    const policy = createPolicy({}, book);
    await policy.inherit?.(digest, to);
    assert.ok(!book.isTrusted(other));
    await book.trust({ digest, name: 'x', dir: '/x' });
    await book.remember({ skill: 'x', digest, rule: 'Bash(ls)', dir: '/x' });
    await policy.inherit?.(digest, to);
    assert.ok(book.isTrusted(other));
    assert.ok(book.hasApproval(other, 'Bash(ls)'));
    assert.ok(!book.hasApproval(other, 'Bash(rm)'));
  });
});

test('code that nothing contains is asked about each time', () => {
  const permission = { runsOwnCode: true };
  const asked = decide({ permission, isSandboxed: false, source: 'explicit' });
  assert.ok(asked.decision === 'ask' && asked.each === true);
  assert.match(asked.reason, /code runs without a sandbox/);
  assert.equal(decide({ permission, source: 'explicit' }).decision, 'allow');
});
