import assert from 'node:assert/strict';
import { chmodSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Json } from '../core/json.ts';
import type { Output } from '../core/run.ts';
import type { Scope } from '../core/scope.ts';
import { callBuiltin, doneOf, errorOf } from '../../test/support/built-in.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { createTestScope } from '../testing/test-scope.ts';
import { edit } from './edit.ts';

function call(files: Tree, old_string: string, new_string: string, replace_all = false): Promise<Output> {
  return callBuiltin(
    edit,
    { file_path: 'a', old_string, new_string, replace_all },
    { workspace: files.path },
  );
}

describe('edit', () => {
  test('replaces the only occurrence and shows the lines around it', async () => {
    using files = tree({ a: '1\n2\n3\n4\nold\n6\n7\n8\n9\n' });
    const output = doneOf(await call(files, 'old\n', 'new\nnew\n'));
    assert.equal(readFileSync(files.at('a'), 'utf8'), '1\n2\n3\n4\nnew\nnew\n6\n7\n8\n9\n');
    assert.deepEqual(output.value, { path: 'a', replaced: 1, lines: [5] });
    const shown = ['2\t2', '3\t3', '4\t4', '5\tnew', '6\tnew', '7\t6', '8\t7', '9\t8', '10\t9'];
    const lines = shown.map((line) => line.padStart(6 - line.indexOf('\t') + line.length));
    assert.equal(output.text, `Replaced once in "a". It now reads:\n${lines.join('\n')}`);
  });

  test('takes both texts literally', async () => {
    using files = tree({ a: 'price: (a+b)*\n' });
    doneOf(await call(files, '(a+b)*', "$& $1 $$ $` $' \\n"));
    assert.equal(readFileSync(files.at('a'), 'utf8'), "price: $& $1 $$ $` $' \\n\n");
    doneOf(await call(files, '$&', '$$', true));
    assert.equal(readFileSync(files.at('a'), 'utf8'), "price: $$ $1 $$ $` $' \\n\n");
  });

  test('says how often and where an unclear text occurs, and changes nothing', async () => {
    using files = tree({ a: 'x\ny\nx x\n' });
    const error = errorOf(await call(files, 'x', 'z'));
    assert.equal(error.code, 'usage.bad-input');
    assert.equal(error.message, 'The old text occurs 3 times in "a", on lines 1, 3, 3.');
    assert.match(errorOf(await call(files, 'X', 'z')).message, /does not occur in "a"/);
    assert.match(errorOf(await call(files, 'x', 'x')).message, /the same/);
    assert.equal(readFileSync(files.at('a'), 'utf8'), 'x\ny\nx x\n');
    const output = doneOf(await call(files, 'x', 'z', true));
    assert.deepEqual(output.value, { path: 'a', replaced: 3, lines: [1, 3, 3] });
    assert.equal(readFileSync(files.at('a'), 'utf8'), 'z\ny\nz z\n');
  });

  test('refuses to change more than memory has room for, at once and without changing anything', async () => {
    using files = tree({ a: 'a'.repeat(1 << 22) });
    const many = errorOf(await call(files, 'a', 'b', true));
    assert.equal(many.code, 'limit.too-large');
    assert.match(errorOf(await call(files, 'a', 'b')).message, /occurs more than 200000 times/);
    const long = errorOf(await call(files, 'a'.repeat(100), 'b'.repeat(10_000), true));
    assert.equal(long.code, 'limit.too-large');
    assert.equal(readFileSync(files.at('a'), 'utf8'), 'a'.repeat(1 << 22));
  });

  test('keeps line ends and the byte order mark', async () => {
    using files = tree({ a: '\ufeffone\r\ntwo\r\nthree\r\n' });
    doneOf(await call(files, 'one\ntwo', 'eins\nzwei\nzweieinhalb'));
    assert.equal(readFileSync(files.at('a'), 'utf8'), '\ufeffeins\r\nzwei\r\nzweieinhalb\r\nthree\r\n');
    doneOf(await call(files, 'three', 'drei\nvier'));
    assert.match(readFileSync(files.at('a'), 'utf8'), /drei\r\nvier\r\n$/);
    files.write('a', 'unix\nmixed\r\n');
    doneOf(await call(files, 'unix', 'unix\nunix'));
    assert.equal(readFileSync(files.at('a'), 'utf8'), 'unix\nunix\nmixed\r\n');
  });

  test('keeps every other byte, even if it is not UTF-8', async () => {
    using files = tree({ a: Buffer.from([0xff, 0x0a, 0x61, 0xc3, 0xbc, 0x0a, 0xfe]) });
    doneOf(await call(files, 'aü', 'bä'));
    assert.deepEqual([...readFileSync(files.at('a'))], [0xff, 0x0a, 0x62, 0xc3, 0xa4, 0x0a, 0xfe]);
    files.write('a', Buffer.from('\ufeffgrün\r\nda', 'utf16le').swap16());
    doneOf(await call(files, 'grün\nda', 'rot'));
    assert.equal(readFileSync(files.at('a')).swap16().toString('utf16le'), '\ufeffrot');
    files.write('a', Buffer.from([0x61, 0, 0x62]));
    assert.match(
      errorOf(await call(files, 'a', 'b')).message,
      /"a" is not a text file: binary file, 3 bytes\.$/,
    );
  });

  test('keeps mode and link, and refuses what leads out or is protected', async () => {
    using outside = tree({ a: 'old' });
    using files = tree({ real: 'old', '.git/config': 'old' });
    chmodSync(files.at('real'), 0o755);
    symlinkSync('real', files.at('a'));
    doneOf(await call(files, 'old', 'new'));
    assert.equal(readlinkSync(files.at('a')), 'real');
    assert.equal(readFileSync(files.at('real'), 'utf8'), 'new');
    assert.equal(statSync(files.at('real')).mode & 0o777, 0o755);
    symlinkSync(outside.at('a'), files.at('out'));
    for (const file_path of ['out', '.git/config', outside.at('a')]) {
      const input = { file_path, old_string: 'old', new_string: 'BAD' };
      assert.equal(errorOf(await callBuiltin(edit, input, { workspace: files.path })).code, 'policy.denied');
    }
    assert.equal(readFileSync(outside.at('a'), 'utf8'), 'old');
  });

  test('is made once when a crash hides that it was made', async () => {
    using files = tree({ a: 'x' });
    const input = { file_path: 'a', old_string: 'x', new_string: 'xx' };
    const recorded = new Map<string, Json>();
    const run = (isCrashing: boolean): Promise<Output> =>
      callBuiltin(edit, input, { scope: journalled(files.path, recorded, isCrashing) });
    assert.equal(errorOf(await run(true)).message, 'crash');
    assert.equal(readFileSync(files.at('a'), 'utf8'), 'xx');
    assert.match(doneOf(await run(false)).text, /^Replaced once/);
    assert.equal(readFileSync(files.at('a'), 'utf8'), 'xx');
  });

  test('leaves a file alone that somebody else changed meanwhile', async () => {
    using files = tree({ a: 'old' });
    const input = { file_path: 'a', old_string: 'old', new_string: 'new' };
    const scope = createTestScope({ workspace: files.path });
    const other: Scope = {
      ...scope,
      step: async (key, effect, request) => {
        if (key === 'edit') writeFileSync(files.at('a'), 'old, but different');
        return scope.step(key, effect, request);
      },
    };
    assert.match(
      errorOf(await callBuiltin(edit, input, { scope: other })).message,
      /"a" was changed by something else/,
    );
    assert.equal(readFileSync(files.at('a'), 'utf8'), 'old, but different');
  });

  test('does not run beside others', () => {
    assert.equal(edit.sequential, true);
  });
});

/** Creates a scope that records its steps, except the last one if a crash comes before it is stored. */
function journalled(workspace: string, recorded: Map<string, Json>, isCrashing: boolean): Scope {
  return {
    ...createTestScope({ workspace }),
    step: async (key, effect) => {
      const known = recorded.get(key);
      if (known !== undefined) return known as never;
      const value = await effect(key);
      if (isCrashing && key === 'edit') throw new Error('crash');
      recorded.set(key, value);
      return value;
    },
  };
}
