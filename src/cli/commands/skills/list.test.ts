import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  needs,
  skillsIn,
  workspace,
} from '../../../../test/support/command.ts';
import { skillText, tree } from '../../../../test/support/tree.ts';
import { widthOf } from '../../output/text.ts';

leaveHome();

describe('list', () => {
  test('shows a table, and notes beside it', async () => {
    using files = workspace();
    const { code, out, err } = await call(['list', '--cwd', files.path]);
    assert.equal(code, 0);
    const lines = out.split('\n');
    assert.match(lines[0] ?? '', /^NAME +FAMILY +SOURCE +STATUS +DESCRIPTION$/);
    assert.match(out, /^alpha +agent-skill +project +ready +Does the first thing\.$/m);
    assert.match(
      out,
      /^beta +agent-skill +project +needs no-such-a, no-such-b, NO_SUCH_VARIABLE +Does the second thing\.$/m,
    );
    assert.match(out, /^read +function +bundled +ready/m);
    assert.match(err, /^2 skills and \d+ bundled: \d+ ready, 1 unavailable\.\n$/);
  });

  test('ls is another word for it', async () => {
    using files = workspace();
    assert.equal(
      (await call(['ls', '--cwd', files.path])).out,
      (await call(['list', '--cwd', files.path])).out,
    );
  });

  test('as JSON has the shape that scripts rely on', async () => {
    using files = workspace({ 'skills/zz/SKILL.md': skillText('alpha'), 'skills/broken/SKILL.md': '' });
    const ended = await call(['list', '--json', '--cwd', files.path]);
    assert.equal(ended.code, 0);
    assert.equal(ended.err, '');
    const document = documentOf(ended);
    assert.deepEqual(Object.keys(document), ['ok', 'version', 'skills', 'diagnostics']);
    assert.deepEqual([document['ok'], document['version']], [true, 1]);
    const own = skillsIn(ended).filter((skill) => skill.source === 'project');
    assert.deepEqual(own[0], {
      name: 'alpha',
      aliases: ['alpha-agent-skill', 'alpha-anthropic', 'project:alpha'],
      family: 'agent-skill',
      source: 'project',
      status: 'ready',
      description: 'Does the first thing.',
      dir: files.at('skills/alpha'),
      file: files.at('skills/alpha/SKILL.md'),
    });
    assert.deepEqual(
      own.map((skill) => [skill.name, skill.status]),
      [
        ['alpha', 'ready'],
        ['alpha', 'shadowed'],
        ['beta', 'unavailable'],
        ['broken', 'invalid'],
      ],
    );
    assert.equal(own[1]?.shadowedBy, files.at('skills/alpha/SKILL.md'));
    assert.deepEqual(
      own[2]?.missing?.map(({ name }) => name),
      ['no-such-a', 'no-such-b', 'NO_SUCH_VARIABLE'],
    );
    for (const diagnostic of document['diagnostics'] as Record<string, unknown>[]) {
      for (const key of ['level', 'code', 'message', 'file'])
        assert.equal(typeof diagnostic[key], 'string', key);
    }
  });

  test('findings are counted on stderr', async () => {
    using files = workspace({ 'skills/broken/SKILL.md': '' });
    const { out, err } = await call(['list', '--cwd', files.path]);
    assert.match(out, /^broken +agent-skill +project +invalid/m);
    assert.match(err, /\n1 issue; `skilled doctor --cwd \S+` shows it\.\n$/);
    assert.equal((await call(['list', '--quiet', '--cwd', files.path])).err, '');
  });

  test('an empty workspace teaches the next step', async () => {
    using files = tree({ '.git/HEAD': '' });
    const { code, err } = await call(['list', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(err, /To create one: skilled new skill hello --cwd \S+\n/);
    const named = await call(['list', '--cwd', files.path, '--skills', '.', '--only']);
    assert.equal(named.out, '');
    assert.ok(named.err.includes(files.at('hello/SKILL.md')), named.err);
  });

  test('skills that people do not call are marked', async () => {
    using files = workspace({
      'skills/gamma/SKILL.md': skillText('gamma', 'Works behind.', 'user-invocable: false\n'),
    });
    assert.match((await call(['list', '--cwd', files.path])).out, /^gamma .* \(hidden\) Works behind\.$/m);
  });

  test('text from files cannot steer the terminal', async () => {
    const evil = '"\\e[2J\\e]0;owned\\a\\x9b31m\\u202eRed"';
    using files = workspace({ 'skills/gamma/SKILL.md': skillText('gamma', evil, `when_to_use: ${evil}\n`) });
    const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/; // eslint-disable-line no-control-regex
    for (const args of [
      ['list'],
      ['show', 'gamma'],
      ['validate'],
      ['doctor'],
      ['list', '--json'],
      ['show', 'gamma', '--json'],
    ]) {
      const { out, err } = await call([...args, '--cwd', files.path]);
      assert.doesNotMatch(out + err, steering, args.join(' '));
    }
    const { err } = await call(['show', 'no\u001b[31m-such\u202e', '--cwd', files.path]);
    assert.doesNotMatch(err, steering);
    const [skill] = skillsIn(await call(['list', '--json', '--cwd', files.path])).filter(
      ({ name }) => name === 'gamma',
    );
    assert.match(JSON.stringify(skill), /\\u001b/, 'as data it is all there');
  });

  test('a thousand skills, on a terminal: one line each, none too long, colours in place', async () => {
    const wide = '数据'.repeat(60);
    const many = Array.from({ length: 1_000 }, (_, index): [string, string] => [
      `skills/group-${index % 10}/skill-${index}/SKILL.md`,
      skillText(
        `skill-${index}`,
        index % 2 === 0 ? wide : 'Does something that takes a while to explain. '.repeat(8),
        index % 7 === 0 ? needs : '',
      ),
    ]);
    using files = tree({ '.git/HEAD': '', ...Object.fromEntries(many) });
    const { out, err } = await call(['list', '--cwd', files.path], { width: 80, color: true });
    const lines = out.trimEnd().split('\n');
    assert.ok(lines.length > 1_000);
    for (const line of lines) assert.ok(widthOf(stripVTControlCharacters(line)) <= 80, line);
    assert.match(err, /^1,000 skills and \d+ bundled/);
    const plain = await call(['list', '--cwd', files.path], { width: 80 });
    assert.equal(stripVTControlCharacters(out), plain.out);
    const first = plain.out.split('\n').find((line) => line.startsWith('skill-0 ')) ?? '';
    assert.match(first, /^skill-0 +agent-skill +project +needs no-such.*… +(?:数据)+…$/);
  });
});

describe('which skills', () => {
  test('--skills may be repeated, and goes first', async () => {
    using files = workspace({
      'one/alpha/SKILL.md': skillText('alpha', 'Mine.'),
      'two/gamma/SKILL.md': skillText('gamma'),
    });
    const args = ['--cwd', files.path, '--skills', 'one', '--skills', files.at('two')];
    const found = skillsIn(await call(['list', '--json', ...args])).filter(
      (skill) => skill.source !== 'bundled',
    );
    assert.deepEqual(
      found.map((skill) => `${skill.name} ${skill.source} ${skill.status}`),
      ['alpha explicit ready', 'alpha project shadowed', 'beta project unavailable', 'gamma explicit ready'],
    );
    const only = skillsIn(await call(['list', '--json', '--only', ...args]));
    assert.deepEqual(
      only.map((skill) => skill.name),
      ['alpha', 'gamma'],
    );
  });

  test('--only shows the bundled skill that keeps a found one from its name, and no other', async () => {
    using files = tree({
      'mine/read/SKILL.md': skillText('read'),
      'mine/other/SKILL.md': skillText('other'),
    });
    const shown = skillsIn(await call(['list', '--json', '--only', '--skills', files.at('mine')]));
    assert.deepEqual(
      shown.map(({ name, source, status }) => `${name} ${source} ${status}`),
      ['other explicit ready', 'read bundled ready', 'read explicit shadowed'],
    );
  });

  test('a path that cannot be looked at is a usage error', async () => {
    for (const flag of ['--skills', '--cwd']) {
      const { code, err } = await call(['list', flag, 'a'.repeat(300)]);
      assert.equal(code, 2);
      assert.match(err, /: ENAMETOOLONG/);
    }
  });

  test('--only needs --skills, and --skills and --cwd need a folder', async () => {
    using files = workspace({ file: '' });
    for (const args of [
      ['--only'],
      ['--skills', 'missing'],
      ['--skills', 'file'],
      ['--cwd', files.at('missing')],
      ['--cwd', files.at('file')],
    ]) {
      const ended = await call(['list', '--json', '--cwd', files.path, ...args]);
      assert.equal(ended.code, 2, args.join(' '));
      assert.match(errorIn(ended).code, /^usage\./);
      assert.notEqual(errorIn(ended).hint, undefined);
    }
  });

  test('--safe leaves out the project, the user and the settings', async () => {
    using files = workspace({
      'one/gamma/SKILL.md': skillText('gamma'),
      '.skilled/settings.json': '{"skills": {"except": ["read"]}}',
    });
    const status = async (...args: readonly string[]): Promise<string | undefined> =>
      skillsIn(await call(['list', '--json', '--cwd', files.path, ...args])).find(
        ({ name }) => name === 'read',
      )?.status;
    assert.equal(await status(), 'unavailable');
    assert.equal(await status('--safe'), 'ready');
    const safe = skillsIn(await call(['list', '--json', '--safe', '--cwd', files.path, '--skills', 'one']));
    assert.deepEqual(
      safe.filter((skill) => skill.source !== 'bundled').map((skill) => skill.name),
      ['gamma'],
    );
  });
});
