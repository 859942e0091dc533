import assert from 'node:assert/strict';
import { chmodSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Ranking } from './skill-ranking.ts';

const count = 30;

function workspace(): Tree {
  const skills = Array.from({ length: count }, (_, index): [string, string] => [
    `skills/s-${index}/SKILL.md`,
    skillText(`s-${index}`, `Repairs part ${index} of the bicycle, such as wheel${index} and brake${index}.`),
  ]);
  return tree(Object.fromEntries(skills));
}

function open(files: Tree, more: AgentOptions = {}): RecursiveSkilledAgent {
  const roots = { additionalSkillRoots: [files.at('skills')], only: true };
  return new RecursiveSkilledAgent({ ...roots, embeddings: false, cache: files.at('cache'), ...more });
}

async function rank(
  files: Tree,
  more: AgentOptions = {},
  prompt = 'repair brake7 and wheel9',
): Promise<Ranking> {
  await using agent = open(files, more);
  const ranking = await agent.skills.rank(prompt);
  assert.deepEqual(agent.skills.diagnostics(), []);
  return ranking;
}

function indexFile(files: Tree): string {
  const names = readdirSync(files.at('cache')).filter((name) => name.startsWith('ranking-'));
  assert.equal(names.length, 1);
  return files.at('cache', names[0] ?? '');
}

describe('the index of the ranking on disk', () => {
  test('gives a second start the same ranking, and is not written again', async () => {
    using files = workspace();
    const first = await rank(files);
    assert.deepEqual(
      first.candidates
        .slice(0, 2)
        .map(({ name }) => name)
        .toSorted(),
      ['s-7', 's-9'],
    );
    const { ino, mode } = statSync(indexFile(files));
    assert.equal(mode & 0o777, 0o600);
    assert.deepEqual(await rank(files), first);
    assert.deepEqual(await rank(files, { cache: false }), first);
    assert.equal(statSync(indexFile(files)).ino, ino);
  });

  test('an edited, a new and a removed skill count, although the file is stored', async () => {
    using files = workspace();
    await rank(files);
    const { ino } = statSync(indexFile(files));
    files.write('skills/s-3/SKILL.md', skillText('s-3', 'Bakes bread with brake7.'));
    files.write('skills/new/SKILL.md', skillText('new', 'Tunes the piano.'));
    rmSync(files.at('skills/s-7'), { recursive: true });
    for (const prompt of ['repair brake7', 'bake bread', 'tune the piano'])
      assert.deepEqual(await rank(files, {}, prompt), await rank(files, { cache: false }, prompt));
    assert.equal(statSync(indexFile(files)).ino, ino);
  });

  test('is built again after many changes', async () => {
    using files = workspace();
    await rank(files);
    const { ino } = statSync(indexFile(files));
    for (let index = 0; index < 12; index++)
      files.write(`skills/s-${index}/SKILL.md`, skillText(`s-${index}`, `Sings song ${index}.`));
    assert.deepEqual(
      await rank(files, {}, 'sing song 4'),
      await rank(files, { cache: false }, 'sing song 4'),
    );
    assert.notEqual(statSync(indexFile(files)).ino, ino);
  });

  test('settings that change descriptions make it invalid', async () => {
    using files = workspace();
    await rank(files);
    const { ino } = statSync(indexFile(files));
    const settings = { skills: { entries: { 's-1': { enabled: false } } } };
    assert.deepEqual(await rank(files, { settings }), await rank(files, { settings, cache: false }));
    assert.notEqual(statSync(indexFile(files)).ino, ino);
  });

  test('damage anywhere in the file never shows in a ranking', async () => {
    using files = workspace();
    const first = await rank(files);
    const whole = readFileSync(indexFile(files));
    for (let step = 0; step < 24; step++) {
      const damaged = Buffer.from(whole);
      const at = Math.floor((step * whole.length) / 24);
      damaged.fill(0xff, at, at + 40);
      writeFileSync(indexFile(files), step % 3 === 0 ? whole.subarray(0, at) : damaged);
      assert.deepEqual(await rank(files), first, `byte ${at}`);
    }
  });

  test('a file that others can write to is not believed', async () => {
    using files = workspace();
    const first = await rank(files);
    const { ino } = statSync(indexFile(files));
    chmodSync(indexFile(files), 0o666);
    assert.deepEqual(await rank(files), first);
    assert.notEqual(statSync(indexFile(files)).ino, ino);
  });

  test('no secret is in it, neither one that was known nor one that is added later', async () => {
    using files = workspace();
    files.write('skills/s-5/SKILL.md', skillText('s-5', 'Repairs with opensesame12345.'));
    files.write('skills/s-6/SKILL.md', `${skillText('s-6', 'Repairs.')}\nUse hunter2hunter2.\n`);
    const isIn = (text: string): boolean => readFileSync(indexFile(files)).includes(text);
    await rank(files, { secrets: ['opensesame12345'] });
    assert.deepEqual([isIn('opensesame12345'), isIn('hunter2hunter2')], [false, true]);
    const both = { secrets: ['opensesame12345', 'hunter2hunter2'] };
    const ranking = await rank(files, both, 'opensesame12345');
    assert.deepEqual([isIn('opensesame12345'), isIn('hunter2hunter2')], [false, false]);
    assert.equal(ranking.candidates[0]?.name, 's-5');
  });

  test('two agents that start at once both rank, and leave one whole file', async () => {
    using files = workspace();
    const [one, two] = await Promise.all([rank(files), rank(files)]);
    assert.deepEqual(one, two);
    assert.deepEqual(await rank(files), one);
    assert.deepEqual(
      readdirSync(files.at('cache')).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });

  test('a folder that cannot be written to is reported, and the ranking works', async () => {
    using files = workspace();
    files.write('cache', '');
    await using agent = open(files);
    const { candidates } = await agent.skills.rank('repair brake7');
    assert.equal(candidates[0]?.name, 's-7');
    assert.ok(
      agent.skills
        .diagnostics()
        .some(({ code, message }) => code === 'cache.unwritable' && message.includes('ranking')),
    );
  });
});
