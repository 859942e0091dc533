import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fenced } from './prompts.ts';
import { readAnswer } from './conversation.ts';

const code = 'export const one = 1;\n';

/** Returns the usable files in an answer. */
function filesIn(text: string, asked: readonly string[] = ['a.ts']): Record<string, string> {
  const { files, fault } = readAnswer(text, asked);
  assert.equal(fault, undefined);
  return Object.fromEntries(files);
}

function faultIn(text: string, asked: readonly string[] = ['a.ts']): string {
  const { files, fault } = readAnswer(text, asked);
  assert.equal(files.size, 0);
  return fault ?? '';
}

describe('the files in an answer', () => {
  test('are in blocks after their paths, in any order, with words between', () => {
    const text = `Here they are.\n\n## file: src/b/c.ts\n${fenced('c')}\n\nAnd:\n\n## file: src/a.ts\n${fenced(code, 'ts')}\n`;
    assert.deepEqual(filesIn(text, ['a.ts', 'b/c.ts']), { 'a.ts': code, 'b/c.ts': 'c\n' });
  });

  for (const heading of [
    '## file: src/a.ts',
    '# File: `src/a.ts`',
    '### **file:** src/a.ts',
    '  ## file: ./src/a.ts',
    '## file: a.ts',
  ]) {
    test(`may be headed as ${heading}`, () => {
      assert.deepEqual(filesIn(`${heading}\r\n\`\`\`ts\r\n${code}\`\`\``), { 'a.ts': code });
    });
  }

  test('need no path when one file was asked for and one block is there', () => {
    assert.deepEqual(filesIn(`Sure.\n\n~~~\n${code}~~~\n`), { 'a.ts': code });
  });

  test('are not those that the model thought of before', () => {
    const text = `<think>\n## file: src/x.ts\n${fenced('x')}\n</think>\n## file: src/a.ts\n${fenced(code)}`;
    assert.deepEqual(filesIn(text), { 'a.ts': code });
  });

  test('may hold marks of blocks themselves, and headings', () => {
    const inner = 'const text = `\n```\n## file: src/b.ts\n```\n`;\n';
    assert.deepEqual(filesIn(`## file: src/a.ts\n${fenced(inner)}`), { 'a.ts': inner });
  });

  test('leave out blocks without a path where others have one', () => {
    const text = `## file: src/a.ts\n${fenced(code)}\nUse it:\n${fenced('run')}`;
    assert.deepEqual(filesIn(text), { 'a.ts': code });
  });

  test('lose the indentation of their block only', () => {
    assert.deepEqual(filesIn('1. ok\n   ```\n   if (x)\n     y();\n   ```'), { 'a.ts': 'if (x)\n  y();\n' });
  });
});

describe('an answer that cannot be used', () => {
  for (const [what, text, fault] of [
    ['is empty', '', /no file in a fenced block/],
    ['has no block', code, /no file in a fenced block/],
    ['was cut off', `## file: src/a.ts\n\`\`\`ts\n${code}`, /not closed/],
    ['has an empty block', '## file: src/a.ts\n```\n\n```', /src\/a\.ts is empty/],
    ['has two blocks without paths', `${fenced('a')}\n${fenced('b')}`, /do not name their files/],
    ['has another file', `## file: src/b.ts\n${fenced(code)}`, /src\/b\.ts was not requested/],
    ['leaves the folder', `## file: src/../../evil.ts\n${fenced(code)}`, /evil\.ts was not requested/],
    [
      'has another file beside the one',
      `## file: src/a.ts\n${fenced(code)}\n## file: cskill.md\n${fenced('x')}`,
      /cskill\.md was not requested/,
    ],
  ] as const) {
    test(what, () => {
      assert.match(faultIn(text), fault);
    });
  }

  test('has a block without a path when several files were asked for', () => {
    assert.match(faultIn(fenced(code), ['a.ts', 'b.ts']), /do not name their files/);
  });
});

test('whatever a model says, nothing is taken that was not asked for', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '```',
      '````ts',
      '~~~',
      '## file: src/a.ts',
      '## file: src/b.ts',
      '## file:',
      '<think>',
      '\n',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const { files, fault } = readAnswer(pieces.join('\n'), ['a.ts']);
      assert.ok([...files.keys()].every((target) => target === 'a.ts'));
      assert.equal(files.size === 0, fault !== undefined);
    }),
  );
});

test('whatever a text holds, its block gives it back', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('```', '`````', '  ````', '~~~', '## file: src/b.ts'));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (lines) => {
      const text = `x\n${lines.join('\n').replaceAll('\r', '')}\n`;
      assert.deepEqual(filesIn(fenced(text)), { 'a.ts': text });
    }),
  );
});
