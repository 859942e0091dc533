import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { codeSkillStage, type CodeSkillFiles } from '../../../test/support/code-skill-stage.ts';
import { codeOf } from '../../../test/support/kernel.ts';
import type { CallOverrides } from '../../core/run.ts';
import { createPolicy } from '../../policy/policy.ts';
import { openTrustBook } from '../../policy/trust-book.ts';

describe('execute', () => {
  const text = { type: 'string' };
  const typed = {
    type: 'object',
    properties: { name: text, loud: { type: 'boolean', default: false } },
    required: ['name'],
  };
  const booking = {
    type: 'object',
    properties: { place: text, guests: { type: 'integer' } },
    required: ['place', 'guests'],
  };

  function inKind(kind: string): CodeSkillFiles {
    const type = kind.endsWith('ts') ? ': string' : '';
    const lib = kind.endsWith('ts') ? 'ts' : 'mjs';
    const code = `import { twice } from './lib/twice.${lib}';
export const action = async (input${type}) => ({ twice: twice(input) });`;
    const files = {
      'package.json': '{"type": "module"}',
      [`src/index.${kind}`]: code,
      [`src/lib/twice.${lib}`]: `export const twice = (text${type}) => text + text;`,
    };
    return { files };
  }

  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const reference = {
    'cskill.md': /^(`{3,})markdown\n([^]*?)^\1$/m.exec(page)?.[2] ?? '',
    'src/index.ts': /^```ts\n([^]*?)^```$/m.exec(page)?.[1] ?? '',
  };

  const stage = codeSkillStage(
    {
      'frame-size': { files: reference },
      greet: {
        input: typed,
        output: text,
        code: `export function action({ name, loud }: { name: string; loud: boolean }): string {
  return \`Hello \${loud ? name.toUpperCase() : name}.\`;
}`,
      },
      echo: { code: 'export const action = (input: unknown) => ({ got: input });' },
      silent: { code: 'export const action = () => {};' },
      chatty: {
        code: `export function action(): number {
  console.log('a line');
  console.error('x'.repeat(3000) + 'The cause.');
  return 1;
}`,
      },
      book: { input: booking, code: 'export const action = (input: unknown) => input;' },
      ts: inKind('ts'),
      mts: inKind('mts'),
      mjs: inKind('mjs'),
      js: inKind('js'),
    },
    ({ messages }) => {
      const [said] = messages;
      return said?.text.includes('four') === true ? '{"place": "Luigi", "guests": 4}' : '{"place": "Luigi"}';
    },
  );
  after(() => stage[Symbol.asyncDispose]());

  describe('a code skill', () => {
    test('gets what its schema says, with defaults, and gives a typed result', async () => {
      const { result, called } = await stage.run('greet', { name: 'Ann' });
      assert.deepEqual([result.status, result.text, result.value], ['done', 'Hello Ann.', 'Hello Ann.']);
      assert.deepEqual(called, ['greet']);
    });

    test('takes plain text as the one text that it needs, as a person gives it or a caller', async () => {
      assert.equal((await stage.run('greet', 'Bo')).result.text, 'Hello Bo.');
      assert.equal((await stage.run('greet', undefined, { prompt: 'Bo' })).result.text, 'Hello Bo.');
      assert.equal((await stage.run('greet', { input: 'Bo' })).result.text, 'Hello Bo.');
      assert.equal((await stage.run('greet', '{"name": "Bo", "loud": true}')).result.text, 'Hello BO.');
    });

    for (const kind of ['ts', 'mts', 'mjs', 'js']) {
      test(`may be src/index.${kind}, which imports the files next to it`, async () => {
        const { result } = await stage.run(kind, 'ab');
        assert.deepEqual([result.value, result.text], [{ twice: 'abab' }, '{"twice":"abab"}']);
      });
    }

    test('without a schema gets what it is given, and null for nothing', async () => {
      for (const input of ['words', { input: 'x' }, [1, 2], 7])
        assert.deepEqual((await stage.run('echo', input)).result.value, { got: input });
      assert.deepEqual((await stage.run('echo')).result.value, { got: null });
    });

    test('gives its caller what it wants, or says that it does not', async () => {
      const wanting = (key: string): CallOverrides => ({
        result: { type: 'object', required: [key], properties: { [key]: text } },
      });
      const { result } = await stage.run('ts', 'ab', { overrides: wanting('twice') });
      assert.deepEqual(result.value, { twice: 'abab' });
      const other = await stage.run('ts', 'ab', { overrides: wanting('thrice') });
      assert.equal(other.result.error?.code, 'skill.no-result', JSON.stringify(other.result));
      assert.match(other.result.error.message, /thrice is required \(string\)/);
    });

    test('that returns nothing has nothing to say', async () => {
      const { result } = await stage.run('silent');
      assert.deepEqual([result.status, result.text, result.value], ['done', '', null]);
    });

    test('prints for people, who see the end and how much is missing', async () => {
      const { result, notes } = await stage.run('chatty');
      assert.equal(result.value, 1);
      const cut = '[1,010 characters before this were cut off]';
      assert.deepEqual(notes, ['It printed: a line', `It printed: ${cut}\n${'x'.repeat(1990)}The cause.`]);
    });
  });

  describe('plain text for a code skill with several fields', () => {
    test('is read by the fast model', async () => {
      const { result } = await stage.run('book', undefined, { prompt: 'four at Luigi' });
      assert.deepEqual(result.value, { place: 'Luigi', guests: 4 });
      assert.equal(stage.model.requests.length, 1);
    });

    test('that does not say all of it is refused, with what is missing', async () => {
      const { result } = await stage.run('book', 'a table at Luigi');
      assert.equal(result.error?.code, 'usage.bad-input');
      assert.match(result.error.message, /guests is required \(number\)/);
    });

    test('is refused offline, with what to give and how', async () => {
      const book = { input: booking, code: '' };
      await using offline = codeSkillStage({ book }, [], { models: { model: () => undefined } });
      const { result } = await offline.run('book', 'four at Luigi');
      assert.equal(result.error?.code, 'usage.bad-input');
      assert.match(
        result.error.message,
        /place is required \(string\); guests is required \(number\).*no model is available/,
      );
    });
  });

  test('the example of the reference gives what it says', async () => {
    const [, input = '', value = ''] = /`(\{[^`]*\})` gives `(\{[^`]*\})`/.exec(reference['cskill.md']) ?? [];
    const { result } = await stage.run('frame-size', input);
    assert.deepEqual(result.value, JSON.parse(value), JSON.stringify(result));
  });
});

describe('versions', () => {
  const saying = (reply: string): string => `export const action = () => '${reply}';\n`;
  const index = 'skills/says/src/index.ts';

  describe('code that changes', () => {
    test('is the new one from the next call on', async () => {
      await using stage = codeSkillStage({ says: { code: saying('one') } });
      assert.equal((await stage.run('says')).result.text, 'one');
      for (const reply of ['two', 'three']) {
        stage.files.write(index, saying(reply));
        assert.equal((await stage.run('says')).result.text, reply);
      }
    });

    test('of a project runs once a person trusts it, and is asked about again after one changed byte', async () => {
      const policy = createPolicy({}, openTrustBook(undefined));
      await using stage = codeSkillStage({ says: { code: saying('one') } }, [], { policy });
      const { agent } = stage;
      const asked = await agent.run({ skill: 'says' }).result;
      assert.equal(asked.status, 'waiting');
      assert.match(asked.question?.asks?.rule ?? '', /^Trust\(says@/);
      await agent.runs.approve(asked.runId, asked.question?.id ?? '', { allow: 'version' });
      assert.equal((await agent.runs.resume(asked.runId).result).text, 'one');
      assert.equal((await stage.run('says')).result.text, 'one');
      stage.files.write(index, saying('two'));
      assert.equal((await stage.run('says')).result.status, 'waiting');
    });

    test('between the question and the answer does not run with that answer', async () => {
      const policy = createPolicy({}, openTrustBook(undefined));
      await using stage = codeSkillStage({ says: { code: saying('one') } }, [], { policy });
      const { agent } = stage;
      const asked = await agent.run({ skill: 'says' }).result;
      stage.files.write(index, saying('two'));
      await agent.runs
        .approve(asked.runId, asked.question?.id ?? '', { allow: 'once' })
        .catch((thrown: unknown) => thrown); // it may be refused at once, or fail again below
      const after = await agent.runs.resume(asked.runId).result;
      assert.ok(after.status === 'waiting' || codeOf(after) === 'skill.changed', JSON.stringify(after));
    });

    test('of a folder that the host names needs no approval', async () => {
      await using stage = codeSkillStage({}, [], {
        policy: createPolicy({}, openTrustBook(undefined)),
        additionalSkillRoots: ['own'],
      });
      stage.files.write('own/says/cskill.md', '# says\n\n## Description\n\nX.\n\n## Input Format\n\nX.\n');
      stage.files.write('own/says/src/index.ts', saying('mine'));
      assert.equal((await stage.run('says')).result.text, 'mine');
    });
  });
});
