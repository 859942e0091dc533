import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  leaveHome,
  needs,
  workspace,
  type SkillDocument,
} from '../../../../test/support/command.ts';
import { skillText, tree } from '../../../../test/support/tree.ts';

leaveHome();

describe('doctor', () => {
  test('reports the result of each check, and ends with 0 or 3', async () => {
    using files = workspace();
    const good = await call(['doctor', '--cwd', files.path]);
    assert.equal(good.code, 0);
    assert.match(good.out, /^ok {4}runtime: Node /);
    assert.match(
      good.out,
      /^warn {2}eligibility: 1 skill cannot be used on this machine\n {6}beta: Install "no-such-a"/m,
    );
    files.write('skills/broken/SKILL.md', '');
    const bad = await call(['doctor', '--cwd', files.path]);
    assert.equal(bad.code, 3);
    assert.match(bad.out, /^FAIL {2}skills: .*1 invalid\n {6}.*broken/m);
  });

  test('as JSON', async () => {
    using files = workspace({ 'skills/broken/SKILL.md': '' });
    const ended = await call(['doctor', '--json', '--cwd', files.path]);
    assert.equal(ended.code, 3);
    assert.equal(ended.err, '');
    const document = documentOf(ended);
    assert.deepEqual(Object.keys(document), [
      'ok',
      'checks',
      'servers',
      'roots',
      'unavailable',
      'diagnostics',
    ]);
    assert.equal(document['ok'], false);
    assert.deepEqual(
      (document['checks'] as { id: string }[]).map(({ id }) => id),
      [
        ...['runtime', 'roots', 'skills', 'eligibility', 'code', 'models', 'runs', 'records', 'servers'],
        ...['trust', 'rules', 'containment', 'code-worker', 'snippets', 'files', 'diagnostics'],
      ],
    );
    assert.equal((document['unavailable'] as SkillDocument[])[0]?.name, 'beta');
  });

  test('--fix puts our own files right, says so before and after, and then has nothing to do', async () => {
    using files = workspace({ '.skilled/.gitignore': '# mine\nskilled.db*' });
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    const staging = `skills/.generation/alpha/staging-${id}`;
    const left = [
      files.write(`.skilled/.settings.json.${id}`, '{'),
      files.write(`.skilled/.settings.local.json.${id}`, 'fresh, so somebody may be writing it'),
      files.write('.skilled/.mine.json', 'not ours'),
      files.write(`${staging}/copy/x`, 'x'),
      files.write(`skills/.generation/beta/staging-${id}/copy/x`, 'x'),
      files.write('skills/.generation/beta/swap.json', 'it was just taking the place of the old'),
    ];
    const old = new Date(Date.now() - 2 * 86_400_000);
    for (const path of [left[0] ?? '', files.at(staging), files.at(`skills/.generation/beta/staging-${id}`)])
      utimesSync(path, old, old);
    const cache = join(process.env['HOME'] ?? '', '.cache/skilled');
    mkdirSync(cache, { recursive: true });
    const damaged = join(cache, 'skills-0123456789abcdef.json');
    writeFileSync(damaged, 'cut');

    const before = await call(['doctor', '--cwd', files.path]);
    assert.match(
      before.out,
      /^warn {2}files: 4 things to fix\n(?: {6}.*\n)+ {6}→ .*skilled doctor --fix --cwd \S+$/m,
    );
    const fixed = documentOf(await call(['doctor', '--fix', '--json', '--cwd', files.path]));
    const fixes = fixed['fixes'] as { id: string; what: string; status: string; result: string }[];
    assert.deepEqual(
      fixes.map((fix) => [fix.id, fix.status]),
      ['ignore', 'leftovers', 'cache', 'generation'].map((kind) => [kind, 'fixed']),
    );
    assert.equal(
      readFileSync(files.at('.skilled/.gitignore'), 'utf8'),
      '# mine\nskilled.db*\ntables.db*\ncache/\nsettings.local.json\n',
    );
    assert.deepEqual(
      left.map((file) => existsSync(file)),
      [false, true, true, false, true, true],
    );
    assert.ok(!existsSync(damaged));
    const again = await call(['doctor', '--fix', '--cwd', files.path]);
    assert.match(again.out, /^Nothing to fix\.\n\nok {4}runtime/);
    assert.match(again.out, /^ok {4}files: nothing to fix$/m);
  });

  test('--fix closes settings that others may write, and leaves a trust file to its owner', async (t) => {
    if (process.getuid === undefined) return t.skip('modes say nothing about others here');
    using files = workspace();
    const user = join(process.env['HOME'] ?? '', '.skilled');
    mkdirSync(user, { recursive: true });
    t.after(() => rmSync(user, { recursive: true }));
    const [settings, trust] = ['settings.json', 'trust.json'].map((name) => join(user, name));
    for (const file of [settings ?? '', trust ?? '']) {
      writeFileSync(file, '{}');
      chmodSync(file, 0o666);
    }
    chmodSync(user, 0o777);
    const { code, out } = await call(['doctor', '--fix', '--cwd', files.path]);
    assert.equal(code, 3, 'the trust file is still not believed');
    assert.match(
      out,
      /^fix {4}.*\.skilled can be written by other users\nfixed {2}only you can write to .*\.skilled$/m,
    );
    assert.deepEqual(
      [user, settings ?? '', trust ?? ''].map((path) => statSync(path).mode & 0o777),
      [0o755, 0o644, 0o666],
    );
    assert.match(out, /^FAIL {2}trust: .*\n(?:.*\n)*? {6}→ chmod 600 .*trust\.json$/m);
  });

  test('what cannot be fixed is reported, and keeps nothing else from being fixed', async () => {
    using files = workspace({ '.skilled/.gitignore/in-the-way': '' });
    const { code, out } = await call(['doctor', '--fix', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(out, /^fix {4}.*\.gitignore does not exclude skilled\.db\*, .*\nFAILED EISDIR.*$/m);
    assert.match(out, /^warn {2}files: 1 thing to fix$/m);
  });

  test('long details are cut short for people', async () => {
    const many = Array.from({ length: 40 }, (_, index): [string, string] => [
      `skills/s-${index}/SKILL.md`,
      skillText(`s-${index}`, 'x', needs),
    ]);
    using files = tree({ '.git/HEAD': '', ...Object.fromEntries(many) });
    const { out } = await call(['doctor', '--cwd', files.path]);
    assert.match(out, /… and 25 more; --json shows all/);
    assert.ok(out.split('\n').length < 50);
  });
});
