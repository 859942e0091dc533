import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, leaveHome, workspace } from '../../../../test/support/command.ts';
import { runCommand } from '../../../../test/support/command-process.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

const long = 'Does a thing that takes a while to explain, and then some more. '.repeat(4).trim();

/** Creates skills in the folder `many`. By default, too many to compute their embeddings during a command. */
function crowd(count = 60): Tree {
  const skills = Array.from({ length: count }, (_, index): [string, string] => [
    `many/s-${index + 100}/SKILL.md`,
    skillText(`s-${index + 100}`, `Number ${index}: ${long}`),
  ]);
  return tree({
    ...Object.fromEntries(skills),
    'many/zebra/SKILL.md': skillText('zebra', 'Paints stripes.'),
  });
}

const only = (files: Tree): readonly string[] => ['--only', '--skills', files.at('many')];

describe('catalog', () => {
  test('is the text that a model gets, byte for byte, and its size on stderr', async () => {
    using files = workspace();
    const { code, out, err } = await call(['catalog', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(out, /^.+\n[^]*<name>alpha<\/name>[^]*<\/available_skills>$/);
    assert.doesNotMatch(out, /beta/, 'what is not ready is not offered');
    const document = documentOf(await call(['catalog', '--json', '--cwd', files.path]));
    assert.deepEqual(Object.keys(document), [
      'ok',
      'text',
      'shown',
      'shortened',
      'omitted',
      'chars',
      'tokens',
    ]);
    assert.deepEqual(
      { ...document, text: '', tokens: 0 },
      {
        ok: true,
        text: '',
        shown: 2,
        shortened: 0,
        omitted: [],
        chars: out.length,
        tokens: 0,
      },
    );
    assert.equal(document['text'], out);
    const tokens = String(document['tokens']);
    assert.equal(
      err,
      `2 of 2 skills shown; ${out.length.toLocaleString('en')} characters, ${tokens} tokens.\n`,
    );
    assert.equal((await call(['catalog', '--quiet', '--cwd', files.path])).err, '');
  });

  test('ends its last line on a terminal', async () => {
    using files = workspace();
    const { out } = await call(['catalog', '--cwd', files.path], { width: 40 });
    assert.match(out, /<\/available_skills>\n$/);
  });

  test('keeps to every limit, and says what it left out', async () => {
    using files = crowd();
    const { out, err } = await call(['catalog', ...only(files), '--max-skills', '20', '--max-chars', '5000']);
    assert.ok(out.length <= 5_000);
    assert.match(out, /\n20 of 61 skills shown; find-skills searches the rest\.$/);
    assert.match(err, /^20 of 61 skills shown, \d+ shortened; [\d,]+ characters, [\d,]+ tokens\.\n/);
    assert.match(err, /\nLeft out: (?:s-\d+, ){9}s-\d+ and 31 more\.\n$/);
    const args = ['catalog', ...only(files), '--max-tokens', '600', '--json'];
    assert.ok(Number(documentOf(await call(args))['tokens']) <= 600);
    const none = await call(['catalog', ...only(files), '--max-chars', '10']);
    assert.deepEqual([none.code, none.out], [0, '']);
    assert.match(none.err, /^0 of 61 .*\n.* limits leave no room .*\n$/);
  });

  test('what is asked for decides who stays', async () => {
    using files = crowd();
    const args = ['catalog', ...only(files), '--max-skills', '2'];
    assert.doesNotMatch((await call(args)).out, /zebra/);
    const asked = await call([...args, '--prompt', 'paint some stripes']);
    assert.match(asked.out, /<name>zebra</);
    assert.match(asked.err, /\nRanked by words only: the meanings of \d+ texts are not learned yet; /);
    files.write('ask.txt', 'paint some stripes\n');
    assert.equal((await call([...args, '--cwd', files.path, '--prompt', '@ask.txt'])).out, asked.out);
    assert.equal((await call([...args, '--prompt', '@nowhere'])).code, 2);
  });

  test('reads what is asked for from stdin, and shortens the home folder', async () => {
    using files = crowd(3);
    const env = { HOME: files.path, PATH: '/usr/bin:/bin' };
    const { code, out, err } = await runCommand(['catalog', '--prompt', '-', ...only(files)], {
      env,
      input: 'x',
    });
    assert.equal(code, 0, err);
    assert.match(out, /<location>~\/many\/zebra\/SKILL\.md</);
  });

  test('without skills nothing is shown, and the next step is reported', async () => {
    using files = tree({ 'many/none': '' });
    const empty = await call(['catalog', ...only(files)]);
    assert.deepEqual([empty.code, empty.out], [0, '']);
    assert.match(empty.err, /^You have no skills here yet\./);
    assert.ok(empty.err.includes(`\n  ${files.at('many/hello/SKILL.md')}\n`), empty.err);
    assert.deepEqual(documentOf(await call(['catalog', ...only(files), '--json'])), {
      ok: true,
      text: '',
      shown: 0,
      shortened: 0,
      omitted: [],
      chars: 0,
      tokens: 0,
    });
    files.write('many/mine/SKILL.md', skillText('mine', 'Mine.', 'disable-model-invocation: true\n'));
    assert.match((await call(['catalog', ...only(files)])).err, /model cannot choose any .*skilled list /);
  });

  test('text from files cannot steer the terminal', async () => {
    const evil = '"\\e[2J\\e]0;owned\\a\\x9b31m\\u202eRed"';
    using files = tree({ 'many/gamma/SKILL.md': skillText('gamma', evil, `when_to_use: ${evil}\n`) });
    const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/; // eslint-disable-line no-control-regex
    for (const args of [['catalog'], ['catalog', '--json'], ['catalog', '--max-skills', '0']]) {
      const { out, err } = await call([...args, ...only(files)]);
      assert.doesNotMatch(out + err, steering, args.join(' '));
    }
  });
});
