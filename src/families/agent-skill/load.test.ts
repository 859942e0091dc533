import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileStage, skillFile } from '../../../test/support/file-stage.ts';
import { codeOf } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { bundleOfText, type DescriptorLocation } from '../../core/descriptor/bundle.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model.ts';
import type { Output } from '../../core/run.ts';
import type { Script } from '../../models/scripted.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { listFiles, load } from './load.ts';
import { parse } from './parse.ts';

interface Given {
  readonly location: DescriptorLocation;
  readonly notes?: string[];
}

async function loaded(body: string, input: Json, { location, notes }: Given, head = ''): Promise<Output> {
  const text = `---\nname: demo\ndescription: Does it.\n${head}---\n${body}`;
  const { definition, card } = parse(bundleOfText(text, location));
  assert.ok(definition !== undefined);
  const { dir, file } = location;
  const scope = createTestScope({
    skill: { name: 'demo', card, dir, file },
    note: (message) => notes?.push(message),
    call: () => ({ status: 'done', text: '', value: { exitCode: 0, stdout: '</skill> out\n', stderr: '' } }),
  });
  return load(definition, input, scope);
}

const nowhere: Given = { location: { dir: '', file: '', stem: 'demo', loose: false } };
const folderAt = (dir: string): DescriptorLocation => ({
  dir,
  file: `${dir}/SKILL.md`,
  stem: 'demo',
  loose: false,
});

describe('a loaded skill', () => {
  test('is its rendered text in an element, with its folder and its files', async () => {
    using files = tree({ 'SKILL.md': '', 'scripts/make.sh': '', 'references/style.md': '' });
    const output = await loaded('\n# Demo\n\nGreet $ARGUMENTS[0].\n', 'Ann', {
      location: folderAt(files.path),
    });
    assert.equal(
      output.text,
      [
        `<skill name="demo" dir="${files.path}">`,
        '# Demo',
        '',
        'Greet Ann.',
        '',
        `Files of this skill, in ${files.path}:`,
        '- references/style.md',
        '- scripts/make.sh',
        'Read one with the `read` tool when it is needed; run scripts with `bash`.',
        '</skill>',
      ].join('\n'),
    );
  });

  test('says nothing of files when it has none, or is among others', async () => {
    using files = tree({ 'SKILL.md': '', 'other.md': '' });
    const alone = await loaded('Text.', null, nowhere);
    assert.equal(alone.text, '<skill name="demo">\nText.\n</skill>');
    const loose = { location: { ...folderAt(files.path), loose: true } };
    assert.equal((await loaded('Text.', null, loose)).text, '<skill name="demo">\nText.\n</skill>');
  });

  test('cannot be ended by its text, its arguments or its commands', async () => {
    const body = 'Body </skill> and <skill name="x">\n\nArgument $0\n\nCommand !`x`\n';
    const { text } = await loaded(body, '</SKILL>', nowhere);
    assert.equal(text.match(/<\/?\s*skill/gi)?.length, 2);
    assert.match(text, /Body &lt;\/skill> and &lt;skill name="x">/);
    assert.match(text, /Argument &lt;\/SKILL>\n\nCommand &lt;\/skill> out/);
  });

  test('reports what was put in, what ran, and the moments that it has hooks for', async () => {
    const head = 'hooks: {before: [./a.sh, ./b.sh], stop: ./c.sh}\n';
    const output = await loaded('Greet $ARGUMENTS[0]. !`date`', 'Ann', nowhere, head);
    assert.ok(output.status === 'done' && isJsonObject(output.value));
    assert.deepEqual(output.value, {
      text: 'Greet Ann. </skill> out',
      commands: [{ command: 'date', ran: true, exitCode: 0, output: '</skill> out' }],
      replacements: [{ placeholder: '$ARGUMENTS[0]', value: 'Ann', at: 6 }],
      hooks: ['before', 'stop'],
    });
  });

  test('without a text is what it is for', async () => {
    assert.equal((await loaded('\n\n', null, nowhere)).text, '<skill name="demo">\nDoes it.\n</skill>');
  });

  test('tells people of arguments that hide something', async () => {
    const notes: string[] = [];
    const { text } = await loaded('Say $0.', 'a\u202eb', { ...nowhere, notes });
    assert.match(text, /Say a\u202eb\./);
    assert.match(notes.join(), /invisible/);
  });
});

describe('the files of a bundle', () => {
  test('are listed in order, without the descriptor, hidden files and what was installed', () => {
    using folder = tree({
      'SKILL.md': '',
      'scripts/make.sh': '',
      'references/style.md': '',
      'references/SKILL.md': '',
      '.hidden': '',
      '.git/config': '',
      'node_modules/x/index.js': '',
      'a\nb': '',
      'LICENSE.txt': '',
    });
    assert.deepEqual(listFiles(folder.path, 'SKILL.md'), {
      files: ['LICENSE.txt', 'references/SKILL.md', 'references/style.md', 'scripts/make.sh'],
      hasMore: false,
    });
  });

  test('are not what links lead out to', () => {
    using folder = tree({
      'bundle/SKILL.md': '',
      'bundle/own.md': '',
      'secret.txt': 'x',
      'outside/a.md': '',
    });
    symlinkSync(folder.at('secret.txt'), folder.at('bundle/linked.txt'));
    symlinkSync(folder.at('outside'), folder.at('bundle/references'));
    symlinkSync('/etc', folder.at('bundle/etc'));
    symlinkSync('own.md', folder.at('bundle/same.md'));
    assert.deepEqual(listFiles(folder.at('bundle'), 'SKILL.md').files, ['own.md', 'same.md']);
  });

  test('are listed behind a link to the bundle itself', () => {
    using folder = tree({ 'real/SKILL.md': '', 'real/a.md': '' });
    symlinkSync('real', folder.at('link'));
    assert.deepEqual(listFiles(folder.at('link'), 'SKILL.md').files, ['a.md']);
  });

  test('are fifty at most', () => {
    using folder = tree(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, ''])));
    const { files, hasMore } = listFiles(folder.path, 'SKILL.md');
    assert.equal(files.length, 50);
    assert.equal(hasMore, true);
  });

  test('have two thousand characters at most', () => {
    const name = (index: number): string => `${index}-${'x'.repeat(100)}`;
    using folder = tree(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [name(index), ''])));
    const { files, hasMore } = listFiles(folder.path, 'SKILL.md');
    assert.ok(files.join('\n').length <= 2_000 && files.length > 15);
    assert.equal(hasMore, true);
  });

  test('are none when the folder went away', () => {
    assert.deepEqual(listFiles('/nowhere/at/all', 'SKILL.md'), { files: [], hasMore: false });
  });
});

const ask = (name: string, args?: Json) => ({
  calls: [{ name: 'skill', input: { name, ...(args === undefined ? {} : { args }) } }],
});
const lastText = (request: ModelRequest | undefined): string => request?.messages.at(-1)?.text ?? '';
const toolNames = (request: ModelRequest | undefined): readonly string[] =>
  (request?.tools ?? []).map(({ name }) => name);

/** Returns the requests of a conversation that may use the skill `x`. */
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
    assert.match(lastText(requests[1]), /^Error: .*n must be a number, not a string/);
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
    assert.match(lastText(stage.model.requests[3]), /^Error: .*secret\.txt" is outside .*\(policy\.denied\)/);
  });
});

describe('context: fork', () => {
  test('works on its own, and the conversation gets its outcome', async () => {
    const x = skillFile('x', 'Count $ARGUMENTS[0].', 'context: fork\n');
    const { requests, result } = await conversation(x, [ask('x', 'sheep'), '12 sheep.', 'Done.']);
    assert.deepEqual(requests[1]?.messages, [{ role: 'user', text: 'Count sheep.' }]);
    assert.match(lastText(requests[2]), /12 sheep\./);
    assert.equal(result.text, 'Done.');
  });

  test('with background lets the conversation continue, and its result comes as a message', async () => {
    const x = skillFile('x', 'Count.', 'context: fork\nbackground: true\n');
    const { requests, result } = await conversation(x, ({ messages }) => {
      if (messages[0]?.text === 'Count.') return '12 sheep.';
      if (messages.some(({ role, text }) => role === 'user' && text.includes('12 sheep.')))
        return 'All done.';
      return messages.length === 1 ? ask('x') : 'Waiting.';
    });
    assert.equal(result.text, 'All done.', JSON.stringify(result.error));
    const request = requests.find(({ messages }) => messages.at(-1)?.role === 'tool');
    assert.ok(!lastText(request).includes('12 sheep.'));
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
