import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model.ts';
import type { Script } from '../../models/scripted.ts';
import { codeOf } from '../../../test/support/kernel.ts';
import { fileStage, skillFile } from '../../../test/support/file-stage.ts';
import { tree } from '../../../test/support/tree.ts';

const ask = (name: string, args?: Json) => ({
  calls: [{ name: 'skill', input: { name, ...(args === undefined ? {} : { args }) } }],
});
const lastText = (request: ModelRequest | undefined): string => request?.messages.at(-1)?.text ?? '';
const toolNames = (request: ModelRequest | undefined): readonly string[] =>
  (request?.tools ?? []).map(({ name }) => name);

/** What a conversation is asked and told that may use the skill `x`. */
async function conversation(x: string, script: Script, files: Readonly<Record<string, string>> = {}) {
  await using stage = fileStage({ outer: skillFile('outer', 'Go on.'), x, ...files }, script);
  const played = await stage.run('outer');
  return { ...played, requests: stage.model.requests, folder: stage.files.at('skills/x') };
}

describe('a SKILL.md that a model asks for', () => {
  test('gives its rendered text to the conversation, and runs no loop of its own', async () => {
    const x = skillFile('x', 'Greet $who, $ARGUMENTS[1].', 'arguments: [who]\n');
    const { requests, called, folder } = await conversation(x, [ask('x', 'Ann "very warmly"'), 'Hello.']);
    assert.match(
      lastText(requests[1]),
      new RegExp(`<skill name="x" dir="${folder}">\nGreet Ann, very warmly\\.\n</skill>`),
    );
    assert.deepEqual(called, ['outer', 'x']);
    assert.match(requests[0]?.tools?.find(({ name }) => name === 'skill')?.description ?? '', /Does x\./);
  });

  test('takes arguments by name', async () => {
    const x = skillFile('x', 'Greet $who.', 'arguments: [who]\n');
    const { requests } = await conversation(x, [ask('x', { who: 'Ann' }), 'Hello.']);
    assert.match(lastText(requests[1]), /\nGreet Ann\.\n/);
  });

  test('with arguments that do not fit gives an error that the model can mend', async () => {
    const head = 'input: {type: object, properties: {n: {type: integer}}, required: [n]}\narguments: [n]\n';
    const { requests, result } = await conversation(skillFile('x', 'Take $n.', head), [
      ask('x', 'many'),
      ask('x', '3'),
      'Done.',
    ]);
    assert.match(lastText(requests[1]), /^Error: .*n: it must be a number, not text/);
    assert.match(lastText(requests[2]), /\nTake 3\.\n/);
    assert.equal(result.text, 'Done.');
  });

  test('takes its disallowed tools away', async () => {
    const x = skillFile('x', 'Text.', 'disallowed-tools: Bash\n');
    const { requests } = await conversation(x, [ask('x'), 'Done.']);
    assert.ok(toolNames(requests[0]).includes('bash'));
    assert.ok(!toolNames(requests[1]).includes('bash') && toolNames(requests[1]).includes('read'));
  });

  test('with enforce-tools leaves its allowed tools and no others', async () => {
    const x = skillFile('x', 'Text.', 'allowed-tools: Read Grep\nenforce-tools: true\n');
    const { requests } = await conversation(x, [ask('x'), 'Done.']);
    assert.deepEqual([...toolNames(requests[1])].sort(), ['grep', 'read']);
  });

  test('without it leaves all tools', async () => {
    const x = skillFile('x', 'Text.', 'allowed-tools: Read\n');
    const { requests } = await conversation(x, [ask('x'), 'Done.']);
    assert.deepEqual(toolNames(requests[1]), toolNames(requests[0]));
  });

  test('lets its own files be read, and nothing else outside the workspace', async () => {
    const read = (path: string) => ({ calls: [{ name: 'read', input: { file_path: path } }] });
    using work = tree({ 'a.txt': 'in the workspace' });
    await using stage = fileStage(
      {
        outer: skillFile('outer', 'Go on.', 'allowed-tools: Read Skill(x)\n'),
        x: skillFile('x', 'Text.'),
        'skills/x/notes.md': 'of the skill',
        'secret.txt': 'secret',
      },
      (_request, turn) =>
        [
          ask('x'),
          read(stage.files.at('skills/x/notes.md')),
          read(stage.files.at('skills/x/../../secret.txt')),
          'Done.',
        ][turn - 1],
      { workspace: work.path },
    );
    await stage.run('outer');
    assert.match(lastText(stage.model.requests[2]), /of the skill/);
    assert.match(lastText(stage.model.requests[3]), /^Error: .*leads out of/);
  });
});

describe('context: fork', () => {
  test('works on its own, and the conversation gets what it came to', async () => {
    const x = skillFile('x', 'Count $0.', 'context: fork\n');
    const { requests, result } = await conversation(x, [ask('x', 'sheep'), '12 sheep.', 'Done.']);
    assert.deepEqual(requests[1]?.messages, [{ role: 'user', text: 'Count sheep.' }]);
    assert.match(lastText(requests[2]), /12 sheep\./);
    assert.equal(result.text, 'Done.');
  });

  test('with background lets the conversation go on, and its result comes as a message', async () => {
    const x = skillFile('x', 'Count.', 'context: fork\nbackground: true\n');
    const { requests, result } = await conversation(x, ({ messages }) => {
      if (messages[0]?.text === 'Count.') return '12 sheep.';
      if (messages.some(({ role, text }) => role === 'user' && text.includes('12 sheep.')))
        return 'All done.';
      return messages.length === 1 ? ask('x') : 'Waiting.';
    });
    assert.equal(result.text, 'All done.', JSON.stringify(result.error));
    const told = requests.find(({ messages }) => messages.at(-1)?.role === 'tool');
    assert.ok(!lastText(told).includes('12 sheep.'));
  });
});

describe('disable-model-invocation', () => {
  const x = skillFile('x', 'Text.', 'disable-model-invocation: true\n');

  test('keeps a skill from models', async () => {
    const y = { y: skillFile('y', 'Text.') };
    const { requests, called } = await conversation(x, [ask('x'), 'Done.'], y);
    const { description = '' } = requests[0]?.tools?.find(({ name }) => name === 'skill') ?? {};
    assert.ok(description.includes('Does y.') && !description.includes('Does x.'));
    assert.match(lastText(requests[1]), /^Error: /);
    assert.deepEqual(called, ['outer']);
  });

  test('does not keep it from people', async () => {
    await using stage = fileStage({ x });
    assert.equal(codeOf((await stage.run('x')).result), '');
  });
});
