import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSop } from '../../src/engines/sop/check/check-sop.ts';
import type { SopCommand } from '../../src/engines/sop/command.ts';
import { runSop } from '../../src/engines/sop/execute/run-sop.ts';
import { outputOf, positionOf, readPages, readText, type Block } from '../support/pages.ts';
import { exampleCommands, plainCommand } from '../support/sop-commands.ts';
import { showEnd, showIssue } from '../support/show-sop.ts';

// The scripts of example skills call neighbouring skills, so they run together.
const pages = readPages().filter(({ file }) => !file.startsWith('examples/'));

describe('scripts in the documentation', () => {
  for (const page of pages) {
    const scripts = page.blocks.filter(({ language }) => language === 'sop');
    if (scripts.length === 0) continue;
    test(`those of ${page.file} are right, run as it says, or have the errors that it says`, async () => {
      for (const block of scripts) {
        const isShown = !block.attributes.includes('run') && !block.attributes.includes('errors');
        const hasInput = isShown || inputOf(block) !== undefined;
        const { issues } = checkSop(block.content, commandsOf(block), { hasInput });
        const said = outputOf(page, block);
        if (block.attributes.includes('errors')) {
          assert.equal(issues.map(showIssue).join(''), said?.content, positionOf(block));
          continue;
        }
        assert.deepEqual(issues, [], positionOf(block));
        if (isShown) continue;
        const input = inputOf(block);
        const end = await runSop(block.content, commandsOf(block), input === undefined ? {} : { input });
        assert.equal(showEnd(end), said?.content, positionOf(block));
      }
    });
  }

  test('there are some of each kind', () => {
    const scripts = pages.flatMap(({ blocks }) => blocks).filter(({ language }) => language === 'sop');
    const count = (kind: string): number =>
      scripts.filter(({ attributes }) => attributes.includes(kind)).length;
    assert.ok(count('run') > 15 && count('errors') > 2);
  });
});

describe('the findings of the reference', () => {
  const rows = [...readText('docs/sop.md').matchAll(/^\| `(sop\.[a-z-]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(
    ([, code = '', example = '']) => ({ code, example }),
  );

  test('are all that there are, and no other', () => {
    const codes = readText('src/engines/sop/issue.ts').match(/(?<=')sop\.[a-z-]+(?=')/g) ?? [];
    assert.ok(codes.length > 20);
    assert.deepEqual(rows.map(({ code }) => code).sort(), [...new Set(codes)].sort());
  });

  test('are found in their examples', () => {
    const scripts = rows.filter(({ example }) => example.startsWith('`'));
    assert.ok(scripts.length >= rows.length - 4);
    for (const { code, example } of scripts) {
      const script = example.slice(1, -1).replace(/ ?⏎ ?/g, '\n');
      const found = checkSop(script, exampleCommands).issues.map((issue) => issue.code);
      assert.deepEqual(found, [code], script);
    }
  });
});

/** Returns the example commands and those of the block's attribute: `commands=translate,print`. */
function commandsOf({ attributes }: Block): readonly SopCommand[] {
  const named =
    attributes.find((attribute) => attribute.startsWith('commands='))?.slice('commands='.length) ?? '';
  return [...exampleCommands, ...named.split(',').filter(Boolean).map(plainCommand)];
}

/** Returns the input of the block's attribute: `input=Ann`. */
function inputOf({ attributes }: Block): string | undefined {
  return attributes.find((attribute) => attribute.startsWith('input='))?.slice('input='.length);
}
