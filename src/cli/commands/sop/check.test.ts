import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { runCommand } from '../../../../test/support/command-process.ts';
import { planFiles, sopIn } from '../../../../test/support/plan-files.ts';

leaveHome();

describe('sop check', () => {
  test('says which plans could run', async () => {
    using files = planFiles({ 'one.sop': '@a assign x' });
    assert.deepEqual(await sopIn(files, 'check', 'plan.sop', 'one.sop'), {
      code: 0,
      out: 'valid    plan.sop  3 steps\nvalid    one.sop  1 step\n',
      err: '2 valid, 0 invalid.\n',
    });
    assert.equal((await sopIn(files, 'check', 'one.sop', '--quiet')).err, '');
    assert.equal(existsSync(files.at('.skilled')), false, 'nothing ran');
  });

  test('reports all errors at once, with file, line and column, and ends with 3', async () => {
    using files = planFiles();
    const { code, out, err } = await sopIn(files, 'check', 'plan.sop', 'broken.sop');
    assert.equal(code, 3);
    const positions = [...out.matchAll(/^ {2}(\S+): (error|warning): \S/gm)].map(([, position, level]) => [
      position,
      level,
    ]);
    assert.deepEqual(positions, [
      ['broken.sop:1:1', 'error'],
      ['broken.sop:1:4', 'error'],
      ['broken.sop:3:4', 'error'],
      ['broken.sop:4:26', 'warning'],
      ['broken.sop:5:1', 'error'],
      ['broken.sop:5:11', 'error'],
    ]);
    assert.match(out, /Unknown command "ask-usr"\. Did you mean "ask-user"\?$/m);
    assert.match(out, /Unknown command "frobnicate"\. List the skills: skilled list --cwd \S+$/m);
    assert.equal(err, '1 valid, 1 invalid, 1 warning.\n');
  });

  test('as JSON has one entry for each file', async () => {
    using files = planFiles();
    const ended = await sopIn(files, 'check', 'plan.sop', 'broken.sop', '--json');
    assert.deepEqual([ended.code, ended.err], [3, '']);
    const { ok, files: checked } = documentOf(ended) as {
      ok: boolean;
      files: { file: string; steps: number; issues: object[] }[];
    };
    assert.equal(ok, false);
    assert.deepEqual(
      checked.map(({ file, steps, issues }) => [file, steps, issues.length]),
      [
        ['plan.sop', 3, 0],
        ['broken.sop', 5, 6],
      ],
    );
    assert.deepEqual(Object.keys(checked[1]?.issues[1] ?? {}), [
      'level',
      'code',
      'message',
      'line',
      'column',
      'hint',
      'details',
    ]);
  });

  test('knows skills by all their names, also those that no model may choose, and says what others lack', async () => {
    const hidden =
      '---\nname: quiet\ndescription: Is for people.\ndisable-model-invocation: true\n---\n\nx\n';
    using files = planFiles({
      'skills/quiet/SKILL.md': hidden,
      'names.sop': '@a alpha\n@b project:alpha\n@c quiet\n@d ALPHA',
      'lacks.sop': '@a beta x',
    });
    const fine = await sopIn(files, 'check', 'names.sop');
    assert.equal(fine.code, 0, fine.out);
    files.write('more/alpha/SKILL.md', hidden.replace('quiet', 'alpha'));
    const shadowed = await sopIn(files, 'check', 'names.sop', '--skills', files.at('more'));
    assert.equal(shadowed.code, 0, shadowed.out);
    const { code, out } = await sopIn(files, 'check', 'lacks.sop');
    assert.equal(code, 3);
    assert.match(
      out,
      /lacks\.sop:1:4: error: "beta" cannot be used here: needs no-such-a, .*: skilled show beta --cwd \S+$/m,
    );
  });

  test('input that is not a plan is reported as such', async () => {
    using files = planFiles({
      'empty.sop': '',
      'binary.sop': 'a\0b',
      'crlf.sop': '\ufeff@a assign x\r\n@b assign $c\r\n',
    });
    files.write('latin.sop', Buffer.from([0x40, 0x61, 0x20, 0xe9, 0x0a]));
    files.write('long.sop', `@a assign x\n${'x'.repeat(2_000_000)}`);
    files.write('endless.sop', '🚲'.repeat(1_000_000));
    const { code, out } = await sopIn(
      files,
      'check',
      'empty.sop',
      'binary.sop',
      'latin.sop',
      'long.sop',
      'endless.sop',
      'crlf.sop',
    );
    assert.equal(code, 3);
    for (const line of [
      /^ {2}empty\.sop:1:1: warning: The script has no steps\./m,
      /^ {2}binary\.sop:1:1: error: The script is not valid UTF-8\./m,
      /^ {2}latin\.sop:1:1: error: The script is not valid UTF-8\./m,
      /^ {2}long\.sop:1:1: error: The script has 2,?000,?012 characters/m,
      /^ {2}endless\.sop:1:1: error: The script has more than 1,000,000 characters\./m,
      /^ {2}crlf\.sop:2:11: error: \$c refers /m,
    ])
      assert.match(out, line);
  });

  test('a file that is not there, or a folder, is a mistake in the command line', async () => {
    using files = planFiles();
    for (const [arg, message] of [
      ['nope.sop', `File not found: ${files.at('nope.sop')}.`],
      ['skills', `${files.at('skills')} is a folder.`],
    ] as const) {
      for (const action of ['check', 'run', 'graph']) {
        const ended = await sopIn(files, action, arg, '--json');
        assert.equal(ended.code, 2);
        assert.equal(errorIn(ended).message, message);
      }
    }
  });

  test('- is stdin, once', async () => {
    using files = planFiles();
    const ended = await runCommand(['sop', 'check', '-'], { cwd: files.path, input: '@a assign $b' });
    assert.equal(ended.code, 3);
    assert.match(ended.out, /^invalid {2}- {2}1 step\n {2}-:1:11: error: /);
    assert.equal(
      errorIn(await sopIn(files, 'check', '-', '-', '--json')).message,
      'stdin can only be read once.',
    );
  });

  test('assign is the command of every plan, also where a skill has its name', async () => {
    const skill = '---\nname: assign\ndescription: Assigns people.\narguments: who\n---\n\nDo it.\n';
    using files = planFiles({ 'skills/assign/SKILL.md': skill, 'a.sop': '@a assign who=x y' });
    const { code, out } = await sopIn(files, 'check', 'a.sop');
    assert.deepEqual([code, out], [0, 'valid    a.sop  1 step\n']);
  });
});
