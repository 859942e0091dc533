import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, linesOf } from '../../../../test/support/command.ts';
import { runCommand } from '../../../../test/support/command-process.ts';
import { planFiles, sopIn } from '../../../../test/support/plan-files.ts';

leaveHome();

describe('sop run', () => {
  test('prints the answer and nothing else on stdout', async () => {
    using files = planFiles();
    const { code, out, err } = await sopIn(files, 'run', 'plan.sop', '--input', 'Monday');
    assert.equal(code, 0, err);
    assert.match(out, /^On Monday there are \["skills\/alpha\/SKILL\.md","skills\/beta\/SKILL\.md"\]\n$/);
    assert.match(err, /run r_\w+ · done · /);
    const quiet = await sopIn(files, 'run', 'plan.sop', '--input', 'Monday', '--quiet');
    assert.deepEqual([quiet.out, quiet.err], [out, '']);
  });

  test('is a run like others: kept, traced, with comments as notes', async () => {
    using files = planFiles();
    await sopIn(files, 'run', 'plan.sop', '--input', 'x');
    const { out } = await call(['trace', 'last', '--cwd', files.path]);
    assert.match(out, /looks for pages/);
    assert.match(out, /✓ glob/);
  });

  test('as JSON is the document of a run; with --stream its events', async () => {
    using files = planFiles({ 'one.sop': '@a assign $input\n@last final_answer $a' });
    const { status, value } = documentOf(
      await sopIn(files, 'run', 'one.sop', '--input', '{"n": [1]}', '--json'),
    ) as { status: string; value: { answer: unknown; status: string; variables: object } };
    assert.equal(status, 'done');
    assert.deepEqual(value.answer, { n: [1] });
    assert.deepEqual(Object.keys(value.variables), ['a', 'last']);
    const events = linesOf(await sopIn(files, 'run', 'one.sop', '--args-json', '7', '--json', '--stream'));
    assert.equal(events.at(-1)?.['type'], 'run.ended');
    assert.equal(
      errorIn(await sopIn(files, 'run', 'one.sop', '--input', 'x', '--args-json', '7', '--json')).code,
      'usage.bad-input',
    );
    assert.equal(
      errorIn(await sopIn(files, 'run', 'one.sop', '--args-json', '{', '--json')).message,
      '--args-json is not valid JSON.',
    );
  });

  test('stops at the requested step', async () => {
    const list = JSON.stringify(Array.from({ length: 101 }, (_, index) => index));
    using files = planFiles({ 'many.sop': '@all each $input assign\n@n final_answer $all.100' });
    const short = await sopIn(files, 'run', 'many.sop', '--input', list, '--json');
    assert.equal(errorIn(short).code, 'limit.calls');
    assert.match(errorIn(short).hint ?? '', /--max-commands/);
    const { code, out, err } = await sopIn(
      files,
      'run',
      'many.sop',
      '--input',
      list,
      '--max-commands',
      '200',
    );
    assert.deepEqual([code, out], [0, '100\n'], err);
  });

  test('a plan with errors does not begin, and all of them are reported', async () => {
    using files = planFiles();
    const { code, out, err } = await sopIn(files, 'run', 'broken.sop');
    assert.deepEqual([code, out], [2, '']);
    assert.equal(err.match(/^broken\.sop:\d+:\d+: error: /gm)?.length, 5);
    assert.match(err, /^broken\.sop has 5 errors; nothing ran\.$/m);
    assert.equal(existsSync(files.at('.skilled')), false);
    const ended = await sopIn(files, 'run', 'broken.sop', '--json');
    const error = errorIn(ended) as ReturnType<typeof errorIn> & { details: { issues: object[] } };
    assert.deepEqual([ended.code, error.code, error.details.issues.length], [2, 'usage.bad-input', 6]);
  });

  test('if the input is missing, the flag is named', async () => {
    using files = planFiles();
    const { code, err } = await sopIn(files, 'run', 'plan.sop');
    assert.equal(code, 2);
    assert.match(err, /^ {2}The plan needs an input: --input <text>$/m);
    const { hint } = errorIn(await sopIn(files, 'run', 'plan.sop', '--json'));
    assert.match(hint ?? '', /--input/);
  });

  test('a failed step is the failure of the run', async () => {
    using files = planFiles({ 'fails.sop': '@a read no-such-file.txt\n@last final_answer $a' });
    const { code, out, err } = await sopIn(files, 'run', 'fails.sop');
    assert.notEqual(code, 0);
    assert.equal(out, '');
    assert.match(err, /^fails\.sop:1:1: error: @a failed: .*no-such-file\.txt/m);
    assert.match(err, /^error: .*no-such-file\.txt/m);
    assert.match(err, /^run r_\w+ · failed · .*\n$/m);
    const { err: notes } = await sopIn(files, 'run', 'fails.sop', '--json');
    assert.equal(notes, '');
  });

  test('a failed step that the answer does not need is a warning', async () => {
    using files = planFiles({
      'done.sop': '@a assign fine\n  \n @b read no-such.txt\n@last final_answer $a',
    });
    const { code, out, err } = await sopIn(files, 'run', 'done.sop');
    assert.deepEqual([code, out], [0, 'fine\n']);
    assert.match(err, /^done\.sop:3:2: warning: @b failed: .*no-such\.txt/m);
    assert.equal((await sopIn(files, 'run', 'done.sop', '--quiet')).err, '');
  });

  test('lists its runs with the name of the plan', async () => {
    using files = planFiles({ 'one.sop': '@a assign x' });
    await sopIn(files, 'run', 'one.sop');
    const { out } = await call(['runs', '--cwd', files.path]);
    assert.match(out, /\{"name":"one\.sop"/);
  });

  test('what begins like JSON and is none is text, which is said', async () => {
    using files = planFiles({ 'one.sop': '@a assign $input' });
    const { out, err } = await sopIn(files, 'run', 'one.sop', '--input', '{"day": 1');
    assert.equal(out, '{"day": 1\n');
    assert.match(err, /^--input .*not valid JSON.* text\.$/m);
  });

  test('an input without its flag is told the flag', async () => {
    using files = planFiles();
    const { hint } = errorIn(await sopIn(files, 'run', 'plan.sop', 'Monday', '--json'));
    assert.match(hint ?? '', /--input <text>/);
  });

  test('a plan that gives up says why', async () => {
    using files = planFiles({ 'no.sop': '@a cannot_complete "There is no printer."' });
    const { code, err } = await sopIn(files, 'run', 'no.sop');
    assert.equal(code, 3);
    assert.match(err, /^error: .*There is no printer\./m);
  });

  test('waits for a person and continues where it was', async () => {
    using files = planFiles({
      'ask.sop': '@way ask-user "Which way?"\n@note write note.txt once\n@last final_answer "To the" $way',
    });
    const first = await sopIn(files, 'run', 'ask.sop', '--yes');
    assert.equal(first.code, 4, first.err);
    assert.match(first.err, /Which way\?/);
    assert.equal(readFileSync(files.at('note.txt'), 'utf8'), 'once', 'the other step did not wait');
    const { code, out } = await call(['resume', 'last', 'left', '--cwd', files.path]);
    assert.deepEqual([code, out], [0, 'To the left\n']);
  });

  test('each step asks for the permission that it needs', async () => {
    using files = planFiles({ 'write.sop': '@a write note.txt hello' });
    const { code, err } = await sopIn(files, 'run', 'write.sop');
    assert.equal(code, 4);
    assert.match(err, /"run-sop" wants to call "write"/);
    assert.equal(existsSync(files.at('note.txt')), false);
  });

  test('no skill of a project takes the place of the one that runs plans', async () => {
    const taken = '---\nname: run-sop\ndescription: Takes over.\n---\n\nx\n';
    using files = planFiles({ 'skills/run-sop/SKILL.md': taken, 'one.sop': '@a assign mine' });
    const { code, out } = await sopIn(files, 'run', 'one.sop');
    assert.deepEqual([code, out], [0, 'mine\n']);
  });

  test('reads the plan from stdin, and then the input from elsewhere', async () => {
    using files = planFiles({ 'day.txt': 'Monday\n' });
    const script = '@last final_answer "It is" $input';
    const ended = await runCommand(['sop', 'run', '-', '--input', '@day.txt', '-q'], {
      cwd: files.path,
      input: script,
    });
    assert.deepEqual(ended, { code: 0, out: 'It is Monday\n', err: '' });
    const twice = errorIn(await sopIn(files, 'run', '-', '--input', '-', '--json'));
    assert.match(twice.message, /^stdin can only be read once/);
  });

  test('keeps to its limits', async () => {
    using files = planFiles({ 'one.sop': '@a glob "*"' });
    const { code, err } = await sopIn(files, 'run', 'one.sop', '--max-depth', '1');
    assert.equal(code, 5, err);
  });
});
