import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, leaveHome, type Ended } from '../../../../test/support/command.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

const jars = `# Jars Skill

## Table Purpose

Jars on a records.

## Fields

### name

#### Type: text

#### Primary Key
`;

const script = '@first jars "import jars.csv"\n@last final_answer $first';

function records(): Tree {
  return tree({
    '.git/HEAD': '',
    'jars.csv': 'name\nplum\nquince\n',
    '.agents/skills/jars/tskill.md': jars,
    '.agents/skills/restock/oskill.md': `# Restock\n\nFills it.\n\n## Allowed Skills\n\n- jars\n\n## Script\n\n${script}\n`,
  });
}

function say(files: Tree, words: string, ...flags: readonly string[]): Promise<Ended> {
  return call(['run', '--offline', '--cwd', files.path, ...flags, ...words.split('|')]);
}

describe('a confirmation', () => {
  test('that the typed command asks for is given by --yes, and the run is done', async () => {
    using files = records();
    const ended = await say(files, '/jars|import jars.csv', '--yes', '--json');
    const { status, value } = documentOf(ended);
    assert.deepEqual([ended.code, status, (value as { added: number }).added], [0, 'done', 2], ended.err);
    assert.match((await say(files, '/jars|count')).out, /2/);
  });

  test('that waits is given by resuming with --yes', async () => {
    using files = records();
    const asked = documentOf(await say(files, '/jars|import jars.csv', '--json'));
    assert.equal(asked['status'], 'waiting');
    const resumed = await call(['resume', String(asked['runId']), '--yes', '--offline', '--cwd', files.path]);
    assert.equal(resumed.code, 0, resumed.err);
    assert.match((await say(files, '/jars|count')).out, /2/);
  });

  test('that a nested call asks for waits for a person in spite of --yes', async () => {
    using files = records();
    const ended = await say(files, '/restock|now', '--yes', '--json');
    const { status, question } = documentOf(ended);
    const { path, kind } = question as { path: readonly string[]; kind: string };
    assert.deepEqual([ended.code, status, kind, path], [4, 'waiting', 'input', ['restock', 'jars']]);
    assert.match((await say(files, '/jars|count')).out, /0/);
  });

  test('that is answered with no is done with exit code 0, typed or as the next prompt', async () => {
    using files = records();
    const typed = await call(['run', '/jars', 'import jars.csv', '--offline', '--cwd', files.path], {
      ask: () => Promise.resolve('no'),
    });
    assert.equal(typed.code, 0, typed.err);
    assert.equal((await say(files, '/jars|import jars.csv', '--session', 's')).code, 4);
    const answered = await say(files, 'no', '--session', 's', '--json');
    const { status, value } = documentOf(answered);
    assert.deepEqual([answered.code, status, value], [0, 'done', { outcome: 'declined' }], answered.err);
    assert.match((await say(files, '/jars|count')).out, /0/);
  });

  test('that is answered with no below a plan skips the step, and the plan is done', async () => {
    using files = records();
    assert.equal((await say(files, '/restock|now', '--session', 's')).code, 4);
    const answered = await say(files, 'no', '--session', 's', '--json');
    const { status, variables } = documentOf(answered);
    assert.deepEqual([answered.code, status], [0, 'done'], answered.out);
    assert.equal((variables as { first: { status: string } }).first.status, 'canceled');
  });
});

test('a denied approval that ends the run stays exit code 4', async () => {
  using files = records();
  const answers = ['n', 'Not here.'];
  const ended = await call(['run', '/bash', '--command', 'touch x', '--offline', '--cwd', files.path], {
    ask: () => Promise.resolve(answers.shift()),
  });
  assert.equal(ended.code, 4, ended.err);
  assert.equal(existsSync(files.at('x')), false);
});

test('a flag with a typo is an error that suggests the flag, and no skill input', async () => {
  using files = records();
  for (const [flag, meant] of [
    ['--max-cots', '--max-cost'],
    ['--sesion', '--session'],
    ['--no-offlin', '--no-offline'],
  ] as const) {
    const ended = await say(files, '/ask-user|Which?', flag, '1', '--json');
    const { error } = documentOf(ended) as { error?: { code: string; details?: { near: unknown } } };
    assert.deepEqual(
      [ended.code, error?.code, error?.details?.near],
      [2, 'usage.unknown-flag', [meant.slice(2)]],
    );
  }
  const words = await say(files, '/ask-user|--json|--|--max-cots|1');
  const { question } = documentOf(words) as { question?: { text: string } };
  assert.equal(question?.text, '--max-cots 1', words.out);
});
