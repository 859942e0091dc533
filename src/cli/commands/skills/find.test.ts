import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import {
  call,
  documentOf,
  leaveHome,
  type Ended,
  type SkillDocument,
} from '../../../../test/support/command.ts';
import { runCommand } from '../../../../test/support/command-process.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { widthOf } from '../../output/text.ts';

leaveHome();

interface Result extends Pick<SkillDocument, 'name'> {
  readonly dir: string;
  readonly score: number;
  readonly why: readonly string[];
}

function resultsIn(ended: Ended): readonly Result[] {
  return documentOf(ended)['results'] as readonly Result[];
}

/** Creates three skills, few enough to compute their embeddings during a command. */
function few(): Tree {
  return tree({
    'mine/slides/SKILL.md': skillText('slides', 'Makes a presentation from an outline.'),
    'mine/bread/SKILL.md': skillText('bread', 'Bakes sourdough loaves in a domestic oven.'),
    'mine/taxes/SKILL.md': skillText('taxes', 'Fills in the yearly declaration for the revenue office.'),
  });
}

/** Creates too many skills for that. */
function crowd(): Tree {
  const skills = Array.from({ length: 30 }, (_, index): [string, string] => [
    `mine/s-${index}/SKILL.md`,
    skillText(
      `s-${index}`,
      `Converts kind ${index} of table into another, a job that needs some explanation.`,
    ),
  ]);
  return tree(Object.fromEntries(skills));
}

const only = (files: Tree): readonly string[] => ['--only', '--skills', files.at('mine')];

describe('find by meaning', () => {
  test('finds the skill that shares no word with the request', async () => {
    using files = few();
    const ended = await call(['find', 'cook something with flour and yeast', '--json', ...only(files)]);
    assert.deepEqual([ended.code, ended.err], [0, '']);
    const document = documentOf(ended);
    assert.deepEqual(Object.keys(document), ['ok', 'results', 'abstain', 'by', 'margin', 'threshold']);
    assert.equal(document['by'], 'meaning');
    const [best] = resultsIn(ended);
    assert.deepEqual([best?.name, best?.dir, best?.why], ['bread', files.at('mine/bread'), []]);
  });

  test('shows a table, one line for each skill', async () => {
    using files = few();
    const args = ['find', 'bake', 'sourdough', 'loaves', ...only(files)];
    const { code, out, err } = await call(args);
    assert.equal(code, 0);
    assert.match(err, /^bread: Score 1\.00, [01]\.\d\d ahead of "\w+", by bake, sourdough, loaves\.\n$/);
    assert.match(
      out,
      /^NAME +SCORE +WHY +DESCRIPTION\nbread +[01]\.\d\d +\w+, \w+(?:, \w+)? +Bakes sourdough/,
    );
  });

  test('works where nothing can be kept for the next time, and says so to who learns', async () => {
    using files = few();
    const env = { HOME: files.path, XDG_CACHE_HOME: files.write('cache', ''), PATH: '/usr/bin:/bin' };
    const { code, out, err } = await runCommand(
      ['find', '--learn', 'yearly', 'declaration', ...only(files)],
      { env },
    );
    assert.equal(code, 0, err);
    assert.match(out, /\ntaxes /);
    assert.match(err, /cannot be saved|Cannot save/);
    assert.doesNotMatch(err, /learning:/, 'there is no progress where stderr is not a terminal');
  });
});

describe('find by words', () => {
  test('fits its table into a narrow terminal', async () => {
    using files = crowd();
    const { out } = await call(['find', 'convert', 'table', ...only(files)], { width: 48, color: true });
    for (const line of stripVTControlCharacters(out).split('\n')) assert.ok(widthOf(line) <= 48, line);
    assert.match(out, /…/);
  });

  test('says that meanings are not learned yet, unless it shall be quiet', async () => {
    using files = crowd();
    const args = ['find', 'convert', 'table', '--limit', '3', ...only(files)];
    const { code, out, err } = await call(args);
    assert.equal(code, 0);
    assert.equal(out.trimEnd().split('\n').length, 4);
    assert.match(
      err,
      /Ranked by words only: the meanings of \d+ texts are not .*`skilled find --learn 'convert table' --skills \S+ --only`/,
    );
    assert.deepEqual(await call([...args, '--quiet']), { code, out, err: '' });
    const document = documentOf(await call([...args, '--json']));
    assert.deepEqual([document['by'], (document['results'] as unknown[]).length], ['words', 3]);
    files.write('ask.txt', 'convert table\n');
    const asked = await call(['find', '@ask.txt', '--limit', '3', '--cwd', files.path, ...only(files)]);
    assert.equal(asked.out, out);
    const env = { HOME: files.path, PATH: '/usr/bin:/bin' };
    const fromStdin = ['find', '-', '--limit', '3', ...only(files)];
    assert.equal((await runCommand(fromStdin, { env, input: 'convert table' })).out, out);
  });

  test('a request without a good match gets the nearest skills, with a note', async () => {
    using files = crowd();
    const args = [
      'find',
      'who painted the old church and why is there a table in front of it',
      ...only(files),
    ];
    const { code, out, err } = await call(args);
    assert.equal(code, 0);
    assert.match(out, /^NAME/);
    assert.match(
      err,
      /^No skill matches well; these are the closest\. `skilled show s-0 --skills \S+ --only`/,
    );
    const ended = await call([...args, '--json']);
    assert.deepEqual([ended.code, documentOf(ended)['abstain']], [0, true]);
  });

  test('a request that nothing fits at all leads to the list', async () => {
    using files = crowd();
    const { code, out, err } = await call(['find', 'xyzzy', ...only(files)]);
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /^No skills match\. .*`skilled list --skills \S+ --only` /);
    const document = documentOf(await call(['find', 'xyzzy', '--json', ...only(files)]));
    assert.deepEqual([document['results'], document['abstain']], [[], true]);
  });

  test('without skills the next step is reported', async () => {
    using files = tree({ 'mine/none': '' });
    const { code, out, err } = await call(['find', 'anything', ...only(files)]);
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /^You have no skills here yet\./);
  });

  test('text from files and requests cannot steer the terminal', async () => {
    using files = crowd();
    files.write(
      'mine/gamma/SKILL.md',
      skillText('gamma', '"Paints stripes\\e[2J\\e]0;owned\\a\\x9b31m\\u202eRed"'),
    );
    const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/; // eslint-disable-line no-control-regex
    const { out, err } = await call(['find', 'paint\u001b[31m stripes\u202e', ...only(files)]);
    assert.match(out, /\ngamma /);
    assert.doesNotMatch(out + err, steering);
  });
});
