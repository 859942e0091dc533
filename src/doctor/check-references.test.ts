import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { bundleOfText } from '../core/index.ts';
import { checkReferences } from './check-references.ts';

const files = tree({ 'a/SKILL.md': '', 'a/scripts/run.py': '', 'a/references/my notes.md': '', 'b.md': '' });

/** Returns the missing files that the text refers to, with their lines. */
function missing(text: string, loose = false): readonly string[] {
  const bundle = bundleOfText(`---\nname: a\n---\n${text}`, {
    dir: files.at('a'),
    file: files.at('a/SKILL.md'),
    stem: 'a',
    loose,
  });
  return checkReferences(bundle).map(
    ({ message, line }) => `${line} ${/"([^"]*)"/.exec(message)?.[1] ?? ''}`,
  );
}

describe('a reference to a missing file of the bundle is reported', () => {
  for (const [text, file] of [
    ['See [the guide](references/guide.md).', 'references/guide.md'],
    ['See [the guide](./GUIDE.md#usage "Guide").', 'GUIDE.md'],
    ['See [the guide](<guide.md>).', 'guide.md'],
    ['Run `scripts/build.py`.', 'scripts/build.py'],
    ['Run `./scripts/build.py --fast`.', 'scripts/build.py'],
    ['Run `python3 -u scripts/build.py in.csv`.', 'scripts/build.py'],
    ['Run `uv run {baseDir}/scripts/build.py`.', 'scripts/build.py'],
    ['Run `bash ${CLAUDE_SKILL_DIR}/scripts/build.sh`.', 'scripts/build.sh'],
    ['| Copy | `assets/logo.svg` |', 'assets/logo.svg'],
    ['Fill in `templates/letter.md`.', 'templates/letter.md'],
  ] as const)
    test(text, () => assert.deepEqual(missing(`Intro.\n${text}\n`), [`5 ${file}`]));

  test('once, at its first line', () => {
    assert.deepEqual(missing('`scripts/x.py`\n[x](scripts/x.py), [y](./scripts/../scripts/x.py)\n'), [
      '4 scripts/x.py',
    ]);
  });

  test('and nothing is reported for a file that exists', () => {
    assert.deepEqual(missing('`scripts/run.py`, [notes](references/my%20notes.md)\n'), []);
  });
});

describe('a text that may mean something else is not a reference:', () => {
  for (const text of [
    '[site](https://example.org/guide.md), [mail](mailto:a@b.md), [part](#usage)',
    '[above](../b.md), [root](/etc/guide.md), [home](~/guide.md)',
    '[page](example.com/guide.md), [folder](references/), [word](guide)',
    '`references/*.md`, `scripts/<name>.py`, `scripts/$NAME.py`, `assets/{size}.png`, `scripts/...py`',
    '`$PROJECT/scripts/build.py`, `${CLAUDE_PLUGIN_ROOT}/scripts/build.py`',
    '[link](path/to/file.md), `scripts/your-script.py`, `scripts/example.py`, `scripts/foo.py`',
    '`src/index.ts`, `guide.md`, `npm run scripts/build.ts`',
    'Bundle scripts, for example `scripts/rotate.py`.',
    'It creates `assets/chart.png`.',
    '```sh\npython scripts/build.py\n[x](y.md)\n```',
    '<!-- [x](y.md) -->\n<!--\n`scripts/build.py`\n-->',
    'Write `[x](y.md)` for a link.',
  ])
    test(text, () => assert.deepEqual(missing(`${text}\n`), []));

  test('nor is any in a single file without a folder of its own', () => {
    assert.deepEqual(missing('[x](y.md)\n', true), []);
  });
});

test('a hostile text is searched in time', () => {
  for (const text of ['](', '`', '<!--', '`a ', '[x](', '](a.md "'])
    assert.deepEqual(missing(text.repeat(200_000)), []);
  assert.deepEqual(missing('](a.md "\n'.repeat(50_000)), []);
});
