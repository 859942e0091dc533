import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicCommands, giveUp, type CommandCall, type SopCommand } from '../command.ts';
import { indexCommands } from './known-commands.ts';

const own: SopCommand = { name: 'assign', run: () => 'own' };

test('basic commands are added to a list and to an index', () => {
  for (const index of [indexCommands([]), indexCommands({ find: () => undefined, names: () => [] })]) {
    assert.deepEqual([...index.names()], ['assign', 'final_answer', 'cannot_complete']);
    assert.equal(index.find('final_answer'), basicCommands[1]);
    assert.equal(index.find('other'), undefined);
  }
});

test('a command of the host takes the place of a basic one of its name', () => {
  const index = indexCommands([own]);
  assert.equal(index.find('assign'), own);
  assert.deepEqual([...index.names()], ['assign', 'final_answer', 'cannot_complete']);
});

for (const [given, message] of [
  [undefined, 'The commands are neither a list nor an index.'],
  [{ upper: () => 'X' }, 'The commands are neither a list nor an index.'],
  [[own, undefined], 'The command at index 1 is invalid.'],
  [[{ name: 'no-run' }], 'The command "no-run" is invalid.'],
  [[{ name: 'two words', run: () => 'x' }], 'The command "two words" is invalid.'],
] as const) {
  test(`${JSON.stringify(given)} are not commands`, () => {
    assert.throws(() => indexCommands(given as unknown as readonly SopCommand[]), {
      code: 'usage.bad-input',
      message,
    });
  });
}

for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
  test(`"${name}" is a command only when it is listed`, () => {
    const listed: SopCommand = { name, run: () => null };
    assert.equal(indexCommands([]).find(name), undefined);
    assert.equal(indexCommands([listed]).find(name), listed);
  });
}

for (const [name, input, result] of [
  ['assign', { a: 1 }, { a: 1 }],
  ['final_answer', 'x y', 'x y'],
  ['cannot_complete', ' no key ', giveUp('no key')],
  ['cannot_complete', '', giveUp('no reason is given')],
  ['cannot_complete', { missing: ['key'] }, giveUp('{"missing":["key"]}')],
] as const) {
  test(`${name} makes something of ${JSON.stringify(input)}`, async () => {
    const call: CommandCall = {
      command: name,
      variable: 'v',
      input,
      arguments: [input],
      line: 1,
      key: 'k',
      signal: new AbortController().signal,
      waits: () => undefined,
    };
    assert.deepEqual(await indexCommands([]).find(name)?.run(call), result);
  });
}
