import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, leaveHome, linesOf, type Ended } from '../../../../test/support/command.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

/** Holds a conversation through a pipe. Each answer is one JSON document. */
function pipe(files: Tree, lines: readonly string[]): Promise<Ended> {
  const rest = [...lines];
  const next = (): Promise<string | undefined> => Promise.resolve(rest.shift());
  const openLines = () => Promise.resolve({ next, [Symbol.dispose]: () => undefined });
  return call(['chat', '--json', '--cwd', files.path], { openLines });
}

const asking = ['/ask-user First?', '/ask-user Second?'];

test('a line answers the question that the conversation shows, and then the one that it shows next', async () => {
  using files = tree({ '.git/HEAD': '' });
  const ended = await pipe(files, [...asking, 'to the second', 'to the first']);
  const documents = linesOf(ended);
  assert.deepEqual(
    documents.map(({ text }) => text),
    ['First?', 'Second?', 'to the second', 'to the first'],
  );
  assert.deepEqual(
    [documents[2]?.['runId'], documents[3]?.['runId']],
    [documents[1]?.['runId'], documents[0]?.['runId']],
  );
});

test('a question that is dropped is followed by the one that is still open, which is then shown', async () => {
  using files = tree({ '.git/HEAD': '' });
  const ended = await pipe(files, [...asking, '/cancel', 'to the first']);
  const [first, second, dropped, answer] = linesOf(ended);
  assert.deepEqual(dropped?.['cancelled'], [second?.['runId']]);
  assert.deepEqual([answer?.['runId'], answer?.['text']], [first?.['runId'], 'to the first']);
});

test('/clear leaves no question that could take the next line', async () => {
  using files = tree({ '.git/HEAD': '' });
  const ended = await pipe(files, [...asking, '/clear', 'quantum chromodynamics']);
  const { error, stillOpen, status } = linesOf(ended).at(-1) ?? {};
  assert.equal((error as { readonly code?: string } | undefined)?.code, 'skill.not-found');
  assert.deepEqual([status, stillOpen, ended.code], ['failed', undefined, 3]);
});
