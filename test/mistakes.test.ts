import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { commands } from '../src/cli/commands.ts';
import { commonFlagNames } from '../src/cli/input/flags.ts';
import { withoutBubblewrap } from './support/bubblewrap.ts';
import type { Ended } from './support/command.ts';
import { halfOf } from './support/half-of.ts';
import { readMistakes, type Mistake } from './support/mistake-page.ts';
import { openMistakeStage } from './support/mistake-stage.ts';
import { surroundings } from './support/mistake-surroundings.ts';

const mistakes = readMistakes();

// The question about code is worded differently without a sandbox, and a read-only mount needs the program.
const needBubblewrap = ['A code skill without code', 'Code that is not trusted yet', 'A read-only folder'];

describe('what a newcomer does wrong', { concurrency: availableParallelism() }, () => {
  for (const mistake of halfOf(mistakes)) {
    const skip = needBubblewrap.includes(mistake.title) && withoutBubblewrap;
    test(mistake.title, { skip }, () => make(mistake));
  }
});

test('what is known of single mistakes belongs to sections of the page', () => {
  const titles = mistakes.map(({ title }) => title);
  assert.deepEqual(
    [...Object.keys(surroundings), ...needBubblewrap].filter((title) => !titles.includes(title)),
    [],
  );
  assert.equal(new Set(titles).size, titles.length);
  assert.ok(titles.length >= 20);
});

/** Makes a mistake from the page, checks that the message is as on the page, and applies the remedy. */
async function make({ title, files, typed, said, printed, remedy, corrected }: Mistake): Promise<void> {
  await using around = await surroundings[title]?.();
  using stage = openMistakeStage(around);
  for (const file of files) stage.write(file);
  if (around?.before !== undefined) await stage.type(around.before);

  const ended = await stage.type(typed.script);
  assert.deepEqual({ code: ended.code, err: ended.err }, { code: typed.exit, err: said });
  if (printed !== undefined) assert.equal(ended.out, printed);
  assert.doesNotMatch(ended.out + ended.err, /^\s+at \S+ \(|internal\.bug|bug in skilled/m);
  if (isError(ended)) checkSameError(ended, await stage.type(`${typed.script} --json`));
  await mustNameWhatExists(said + (printed ?? ''));

  for (const file of corrected) stage.write(file);
  if (around?.isCured === true) stage.cure();
  const { script, exit, until } = remedy ?? { script: typed.script, exit: 0 };
  const cured = await stage.type(script, until);
  assert.equal(cured.code, exit, cured.err);
  if (until !== undefined) assert.ok(cured.err.includes(until), cured.err);
  if (remedy === undefined) assert.ok(!/\b(?:error|warning):/.test(cured.out + cured.err), cured.err);
}

function isError({ err }: Ended): boolean {
  return /^error: /m.test(err);
}

/**
 * Checks that there is one error with one next step, in the same words as the document and with the same exit
 * code.
 */
function checkSameError({ err, code }: Ended, document: Ended): void {
  const [first = '', ...more] = err
    .slice(err.search(/^error: /m))
    .trimEnd()
    .split('\n');
  assert.equal(err.match(/^error: /gm)?.length, 1);
  assert.equal(more.length, 1, 'one line below the message says what to do');
  const { ok, error } = JSON.parse(document.out) as { ok: boolean; error: Record<string, string> };
  const plain = (hint?: string): string | undefined => hint?.trim().replaceAll('`', ''); // a terminal drops some characters
  const reported = { ok, code: document.code, message: error['message'], hint: plain(error['hint']) };
  const message = first.slice('error: '.length);
  assert.deepEqual(reported, { ok: false, code, message, hint: plain(more[0]) });
  assert.ok(!isError(document), document.err);
}

/** Checks that each command in a message exists, with its flags. */
async function mustNameWhatExists(text: string): Promise<void> {
  for (const [line, name = ''] of text.matchAll(/\bskilled ([a-z]+)(?=[\s"])[^";\n]*/g)) {
    if (['needs', 'and', 'help', 'setting'].includes(name)) continue; // not a command: "is not a skilled setting"
    const command = commands.find((entry) => entry.name === name);
    assert.ok(command, line);
    const known = [...commonFlagNames, ...Object.keys((await command.load()).options ?? {})];
    for (const [, flag = ''] of line.matchAll(/ --([a-z-]+)/g)) assert.ok(known.includes(flag), line);
  }
}
