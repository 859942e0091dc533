import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { CommonFlags } from './command.ts';
import { commands } from './commands.ts';
import { commonOptions } from './input/flags.ts';
import { spellCommand, type CommandContext } from './spell-command.ts';

const usual: CommonFlags = {
  json: false,
  quiet: false,
  only: false,
  safe: false,
  yes: false,
  cwd: process.cwd(),
  skills: [],
};

function contextWith(flags: Partial<CommonFlags>, more: Partial<CommandContext> = {}): CommandContext {
  return { flags: { ...usual, ...flags }, own: {}, lists: {}, ...more };
}

const models: Partial<CommandContext> = {
  own: { 'base-url': 'http://127.0.0.1:8080/v1', 'api-key-env': 'MY_KEY', stream: true },
  lists: { model: ['qwen3', 'plan=a/b c'], role: ['guest of honour'] },
};
const modelFlags =
  "--model qwen3 --model 'plan=a/b c' --base-url http://127.0.0.1:8080/v1 --api-key-env MY_KEY";

const cases: readonly (readonly [given: CommandContext | undefined, command: string, typed: string])[] = [
  [undefined, 'skilled list', 'skilled list'],
  [contextWith({}), 'skilled trace r_1', 'skilled trace r_1'],
  [contextWith({ cwd: '/a b' }), 'skilled trace r_1', "skilled trace r_1 --cwd '/a b'"],
  [contextWith({ cwd: '/a' }), 'skilled help', 'skilled help'],
  [contextWith({ cwd: '/a' }), 'skilled demo --trace', 'skilled demo --trace'],
  [contextWith({ cwd: '/a' }), 'skilled init --cwd <dir>', 'skilled init --cwd <dir>'],
  [contextWith({ cwd: '/a' }), 'skilled config set a b', 'skilled config set a b --cwd /a'],
  [contextWith({ cwd: '/a' }), 'skilled config set a b --user', 'skilled config set a b --user'],
  [contextWith({ cwd: '/a' }, models), 'skilled mcp list', 'skilled mcp list --cwd /a'],
  [contextWith({ cwd: '/a' }), 'skilled ls', 'skilled ls --cwd /a'],
  [contextWith({ cwd: join(process.cwd(), 'src') }), 'skilled list', 'skilled list --cwd src'],
  [
    contextWith({ cwd: join(process.cwd(), '..') }),
    'skilled list',
    `skilled list --cwd ${join(process.cwd(), '..')}`,
  ],
  [
    contextWith({ skills: ['/a', '/b'], only: true }),
    'skilled show x',
    'skilled show x --skills /a --skills /b --only',
  ],
  [
    contextWith({ cwd: '/a', skills: ['/a/b', '/c'] }),
    'skilled ls',
    'skilled ls --cwd /a --skills b --skills /c',
  ],
  [contextWith({ skills: ['/a'], only: true }), 'skilled runs', 'skilled runs'],
  [contextWith({ skills: ['/a'] }), 'skilled run /x --skills /b', 'skilled run /x --skills /b'],
  [contextWith({ safe: true }), 'skilled trace last', 'skilled trace last --safe'],
  [contextWith({ safe: true }), 'skilled new skill x', 'skilled new skill x'],
  [contextWith({ yes: true, json: true, quiet: true }), 'skilled resume r_1', 'skilled resume r_1'],
  [
    contextWith({ offline: false }, models),
    'skilled approve r_1/q_2',
    `skilled approve r_1/q_2 ${modelFlags} --no-offline`,
  ],
  [contextWith({ offline: true }), 'skilled resume r_1', 'skilled resume r_1 --offline'],
  [contextWith({ offline: true }), 'skilled resume r_1 --no-offline', 'skilled resume r_1 --no-offline'],
  [contextWith({ offline: true }), 'skilled config explain offline', 'skilled config explain offline'],
  [
    contextWith({}, models),
    'skilled models --check --model <provider>/<model>',
    'skilled models --check --model <provider>/<model>',
  ],
  [contextWith({}, models), 'skilled show x', 'skilled show x'],
  [
    contextWith({}, models),
    'skilled chat -r s_1',
    `skilled chat -r s_1 ${modelFlags} --role 'guest of honour'`,
  ],
  [contextWith({ cwd: '/a' }), 'KEY=~/x.db skilled run /x', 'KEY=~/x.db skilled run /x --cwd /a'],
];

describe('a command is spelled as it has to be typed after another', () => {
  for (const [given, command, typed] of cases)
    test(typed, () => {
      assert.equal(spellCommand(command, given), typed);
    });
});

test('for somebody in another folder it says where', () => {
  const here = contextWith({ skills: [join(process.cwd(), 'src')] });
  assert.equal(
    spellCommand('skilled resume r_1', here, true),
    `skilled resume r_1 --cwd ${process.cwd()} --skills src`,
  );
});

test('the program is named as it was called', (t) => {
  process.env['SKILLED_PROGRAM'] = 'npm start --';
  t.after(() => Reflect.deleteProperty(process.env, 'SKILLED_PROGRAM'));
  assert.equal(spellCommand('skilled list', undefined), 'npm start -- list');
  assert.equal(spellCommand('KEY=x skilled help', undefined), 'KEY=x npm start -- help');
});

test('no command is handed a flag that it does not have', async () => {
  const flags = {
    cwd: ['cwd'],
    skills: ['skills', 'only'],
    safe: ['safe'],
    models: ['model', 'base-url', 'api-key-env', 'offline'],
    roles: ['role'],
  };
  for (const { name, repeats, load } of commands) {
    const known = { ...commonOptions, ...(await load()).options };
    for (const flag of repeats.flatMap((one) => flags[one])) assert.ok(flag in known, `${name} --${flag}`);
  }
});
