import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { createMarkerShell } from '../../test/support/marker-shell.ts';
import { randomScript } from '../../test/support/random-script.ts';
import { randomTokens } from '../../test/support/random-tokens.ts';
import { openLoops } from '../../test/stress/stress.ts';
import {
  createValueOracle,
  fillShape,
  hostileValues,
  nest,
  nestings,
  readShapes,
} from '../../test/support/value-oracle.ts';
import { anyCharacter } from '../testing/garbage.ts';
import { insertValues, type ShellValue } from './insert-values.ts';

const { createLoop } = openLoops(import.meta);

const attempts = [
  ...['$(bad)', '`bad`', ';bad;', "'; bad; '", '"; bad; "', '\nbad\n', '|bad', '&& bad', ') bad', '}; bad'],
  ...[
    'a[$(bad)]',
    '${x:=$(bad)}',
    "x' bad '",
    'bad',
    '{a,bad}',
    'E\nbad\n',
    ']]; bad',
    'esac; bad',
    '"$(bad)"',
  ],
  ...[
    "'",
    '"',
    '\\',
    '\\\\',
    "\\'; bad #",
    '\\"; bad #',
    '$',
    '`',
    '#',
    '!',
    '~',
    '*',
    '',
    ' ',
    '\n',
    "$'\\'; bad",
  ],
  ...[
    'PATH=evil',
    'PATH',
    'x=1 bad',
    '<(bad)',
    '>(bad)',
    '((bad))',
    '\\\nbad',
    "'\\''; bad; '\\''",
    '\t',
    '\r',
  ],
];
const attempt = fc.oneof(
  fc.constantFrom(...attempts),
  fc.array(fc.constantFrom(...attempts)).map((all) => all.join('')),
);

for (const name of ['bash', 'dash']) {
  const loop = createLoop({ small: 10, full: 3_000 });
  test(
    `${name} runs no other program, whatever is inserted at any position of a script`,
    { skip: !existsSync(`/bin/${name}`) },
    async () => {
      const names = ['cat', 'ls'];
      using shell = createMarkerShell([...names, 'bad']);
      const scripts = fc.oneof(
        randomScript(names),
        // Values may be file names. Where a script evaluates file names, it runs them itself.
        randomTokens().map((script) => script.replace(/bad|evil|PATH|ok|[*?]/g, 'cat')),
      );
      const filled = fc
        .tuple(scripts, fc.array(fc.tuple(fc.nat({ max: 60 }), attempt), { minLength: 1, maxLength: 3 }))
        .map(([script, values]) => insertValues(cut(script, values), { allowDash: false }))
        .filter((insertion) => 'script' in insertion);
      let [runs, ran] = [0, 0];
      await fc.assert(
        fc.asyncProperty(fc.array(filled, { minLength: 4, maxLength: 4 }), async (several) => {
          runs++;
          await Promise.all(
            several.map(async ({ script }) => {
              for (const [program] of await shell.run(script, name)) {
                assert.ok(program !== 'bad' && program !== 'evil', script);
                ran++;
              }
            }),
          );
        }),
        { ...loop.runs(), endOnFailure: true },
      );
      assert.ok(ran > runs, `only ${ran} programs ran`);
    },
  );
}

/** Inserts values into a script, at offsets from its start. */
function cut(
  script: string,
  values: readonly (readonly [at: number, value: string])[],
): readonly (string | ShellValue)[] {
  const pieces: (string | ShellValue)[] = [];
  let done = 0;
  for (const [at, value] of values.toSorted(([one], [other]) => one - other)) {
    const position = Math.min(script.length, at);
    pieces.push(script.slice(done, position), { value, mayName: false });
    done = position;
  }
  return [...pieces, script.slice(done)];
}

// Each prints the value at `@` as one word, followed by the text on the right.
const slots: Readonly<Record<string, string>> = {
  '@': '',
  '"@"': '',
  "'@'": '',
  '""@': '',
  '@"b"': 'b',
  '"$(printf %s @;printf x)"': 'x',
  '"$(printf %s "@";printf x)"': 'x',
  '"$(printf %s "$(printf %s @;printf x)")"': 'x',
  '"$(cat <<< "@";printf x)"': '\nx',
  '"$(cat <(printf %s @);printf x)"': 'x',
};

const anyText = fc
  .oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: 'grapheme' }),
    attempt,
    fc.string({ unit: fc.constantFrom(...'\'"\\$`\n\r\t !#&*(){}[]|;<>?~=-ab'.split('')) }),
  )
  .filter((value) => !value.includes('\0') && !value.startsWith('-') && value.isWellFormed());

const values = createLoop({ small: 8, full: 3_000 });
test('bash reads each value exactly as it was given, at every position', async () => {
  const run = promisify(execFile);
  await fc.assert(
    fc.asyncProperty(anyText, async (value) => {
      const template = `printf '%s\\0' a$(: @)b ${Object.keys(slots).join(' ')}`;
      const pieces = template
        .split(/(@)/)
        .map((piece) => (piece === '@' ? { value, mayName: false } : piece));
      const insertion = insertValues(pieces, { allowDash: false });
      assert.ok('script' in insertion, JSON.stringify(insertion));
      const { stdout } = await run('bash', ['-c', insertion.script], { encoding: 'utf8' });
      const printed = stdout.split('\0').slice(0, -1);
      const expected = ['ab', ...Object.values(slots).map((behind) => value + behind)];
      assert.deepEqual(printed, expected);
    }),
    values.runs(),
  );
});

const shapes = [...readShapes('hostile'), ...readShapes('honest')];
const commands = createLoop({ small: 4, full: 500 });
test('no value runs in a command that accepts it, with the programs of this machine', async () => {
  using oracle = createValueOracle({ usesReal: true });
  const filled = fc
    .tuple(
      fc.constantFrom(...shapes),
      fc.constantFrom(...nestings),
      fc.constantFrom(...nestings),
      fc.boolean(),
    )
    .map(([shape, inner, outer, isTwice]) => nest(nest(shape, inner), isTwice ? outer : '%'))
    .chain((shape) =>
      fc
        .tuple(fc.oneof(fc.constantFrom(...hostileValues), attempt), fc.boolean())
        .map(([value, allowDash]) => fillShape(shape, value, allowDash)),
    )
    .filter((script) => script !== undefined);
  await fc.assert(
    fc.asyncProperty(fc.array(filled, { minLength: 40, maxLength: 40 }), async (several) => {
      assert.deepEqual(await oracle.run(several), []);
    }),
    { ...commands.runs(), endOnFailure: true },
  );
});
