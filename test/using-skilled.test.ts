import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commands } from '../src/cli/commands.ts';
import { commonFlagNames } from '../src/cli/input/flags.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { readText } from './support/pages.ts';

const text = readText('skills/using-skilled/SKILL.md');
const lines = [...text.matchAll(/`skilled ([^`]+)`/g)].map((found) => found[1] ?? '');

describe('the skill that explains skilled to other agents', () => {
  test('names commands that exist, with flags that they have', async () => {
    assert.ok(lines.length > 30);
    const wrong: string[] = [];
    for (const line of lines) {
      const [name = '', ...args] = line.split(' ');
      const entry = commands.find((command) => command.name === name);
      if (entry === undefined && name !== 'help') wrong.push(line);
      if (entry === undefined) continue;
      const { options = {} } = await entry.load();
      const known = new Set([...commonFlagNames, ...Object.keys(options)].map((flag) => `--${flag}`));
      if (args.some((arg) => arg.startsWith('--') && !known.has(arg))) wrong.push(line);
    }
    assert.deepEqual(wrong, []);
  });

  test('names every command that an agent needs', () => {
    const others = ['chat', 'completion']; // for people at a terminal
    const named = new Set([...lines.map((line) => line.split(' ')[0]), ...others]);
    assert.deepEqual(
      commands.map(({ name }) => name).filter((name) => !named.has(name)),
      [],
    );
  });

  test('begins skills of families that there are', () => {
    const begun = lines.flatMap((line) => /^new (\S+) /.exec(line)?.[1] ?? []);
    const known = builtinFamilies.map(({ id }) => id);
    assert.deepEqual(
      begun.filter((arg) => !known.some((id) => id === arg || id.endsWith(`-${arg}`))),
      [],
    );
  });
});
