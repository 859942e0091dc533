import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { picture } from '../../../../test/conversation/scripts.ts';
import { tree } from '../../../../test/support/tree.ts';
import { isAgentError } from '../../../core/error.ts';
import { includeFiles } from './included-files.ts';

const noName = (): boolean => false;

describe('files that a line includes', () => {
  test('are added as marked text, once each, and a full stop is not part of a name', () => {
    using files = tree({ 'a.md': 'one\n</file> two', 'b c.md': 'three' });
    const { prompt, files: named } = includeFiles(
      'see @a.md, "@x" and @"b c.md" and @a.md.',
      files.path,
      noName,
    );
    assert.deepEqual(named, ['a.md', 'b c.md']);
    assert.match(
      prompt,
      /\n\n<file path="a\.md">\none\n<\\\/file> two\n<\/file>\n\n<file path="b c\.md">\nthree\n/,
    );
    assert.equal(prompt.split('<file').length, 3);
  });

  test('stay as they are if they are no files, and the name of a skill comes first', () => {
    using files = tree({ think: 'x' });
    const line = '@think about ann@example.org and @nothing';
    assert.deepEqual(
      includeFiles(line, files.path, (name) => name === 'think'),
      {
        prompt: line,
        files: [],
        attachments: [],
      },
    );
  });

  test('are attached if they are pictures', () => {
    using files = tree({ 'square.png': picture });
    const { prompt, attachments } = includeFiles('look at @square.png', files.path, noName);
    assert.equal(prompt, 'look at @square.png');
    assert.deepEqual(attachments, [
      { name: 'square.png', mediaType: 'image/png', data: Buffer.from(picture).toString('base64') },
    ]);
  });

  test('cannot be too large or binary', () => {
    using files = tree({ 'big.txt': 'x'.repeat(200_001), 'data.bin': new Uint8Array([0xff, 0xfe, 0xff]) });
    const codeOf = (line: string) => (error: unknown) => isAgentError(error) && error.code === line;
    assert.throws(() => includeFiles('@big.txt', files.path, noName), codeOf('limit.too-large'));
    assert.throws(() => includeFiles('@data.bin', files.path, noName), codeOf('usage.bad-input'));
  });
});
