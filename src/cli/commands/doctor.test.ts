import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  leaveHome,
  needs,
  workspace,
  type SkillDocument,
} from '../../../test/support/command.ts';
import { skillText, tree } from '../../../test/support/tree.ts';

leaveHome();

describe('doctor', () => {
  test('tells how each check came out, and ends with 0 or 3', async () => {
    using files = workspace();
    const good = await call(['doctor', '--cwd', files.path]);
    assert.equal(good.code, 0);
    assert.match(good.out, /^ok {4}runtime: Node /);
    assert.match(
      good.out,
      /^warn {2}eligibility: 1 skill cannot be used here\n {6}beta: Install "no-such-a"/m,
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
    assert.deepEqual(Object.keys(document), ['ok', 'checks', 'roots', 'unavailable', 'diagnostics']);
    assert.equal(document['ok'], false);
    assert.deepEqual(
      (document['checks'] as { id: string }[]).map(({ id }) => id),
      [
        ...['runtime', 'roots', 'skills', 'eligibility', 'code', 'models', 'records', 'trust', 'rules'],
        ...['containment', 'diagnostics'],
      ],
    );
    assert.equal((document['unavailable'] as SkillDocument[])[0]?.name, 'beta');
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
