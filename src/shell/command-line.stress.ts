import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../test/stress/stress.ts';
import { createMarkerShell } from '../../test/support/marker-shell.ts';
import { randomScript } from '../../test/support/random-script.ts';
import { randomTokens } from '../../test/support/random-tokens.ts';
import { matchesCommand, shellParts } from './command-line.ts';
import { literalWord, textOfWords } from './word.ts';

const { createLoop } = openLoops(import.meta);
const together = 4;

const everyProgram = createLoop({ small: 10, full: 1_500 });
test('every program that bash really runs is among the parts of the script', async () => {
  const names = ['aa', 'bb', 'cc', 'fail'];
  using shell = createMarkerShell(names);
  const scripts = fc.array(randomScript(names), { minLength: together, maxLength: together });
  let [runs, ran] = [0, 0];
  const everyone = fc.asyncProperty(scripts, async (several) => {
    runs++;
    await Promise.all(
      several.map(async (script) => {
        const { parts, suspected } = shellParts(script);
        const commands = [...parts, ...suspected].map(({ command }) => command);
        for (const words of await shell.run(script)) {
          const text = textOfWords(words.map(literalWord));
          const isFound = commands.some(
            (part) => part === text || (isOpen(part) && part.split(' ')[0] === words[0]),
          );
          assert.ok(isFound, `${text} is missed in ${script}`);
          ran++;
        }
      }),
    );
  });
  await fc.assert(everyone, everyProgram.runs());
  assert.ok(ran > runs * together, `only ${ran} programs ran`);
});

for (const name of ['bash', 'dash']) {
  const skip = !existsSync(`/bin/${name}`);
  const loop = createLoop({ small: 8, full: 1_500 });
  test(`what rules for one program cover runs no other program in ${name}`, { skip }, async () => {
    using shell = createMarkerShell(['ok', 'bad']);
    const wide = fc.oneof(
      randomScript(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'bad']),
      randomTokens(),
      randomTokens(),
    );
    const scripts = fc
      .array(wide, { minLength: 200, maxLength: 200 })
      .map((several) => several.filter(isCovered).slice(0, together));
    let [runs, ran] = [0, 0];
    const onlyOne = fc.asyncProperty(scripts, async (several) => {
      runs++;
      await Promise.all(
        several.map(async (script) => {
          for (const [program] of await shell.run(script, name)) {
            assert.equal(program, 'ok', script);
            ran++;
          }
        }),
      );
    });
    await fc.assert(onlyOne, { ...loop.runs(), endOnFailure: true });
    assert.ok(ran > runs, `only ${ran} programs ran`);
  });
}

/** Some of its words are known only when it runs. */
function isOpen(part: string): boolean {
  return /(?<!\\)[$`<>*?[{~]/.test(part);
}

// What a careful person might allow: a program of their own, and programs that do nothing by themselves.
const allowed = 'ok, :, env, command, eval, sh -c, bash -c, find, xargs, timeout, nice, exec, trap';
const harmless = 'printf, [, test, read, echo, set, wait';
const rules = `${allowed}, ${harmless}`.split(', ').map((program) => `${program} *`);

function isCovered(script: string): boolean {
  const { parts, areAll } = shellParts(script);
  const mayRun = ({ command }: { command: string }): boolean =>
    rules.some((rule) => matchesCommand(rule, command));
  return areAll && parts.every(mayRun) && parts.some(({ command }) => command.startsWith('ok'));
}
