import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  linesOf,
  writeHistory,
} from '../../../../test/support/command.ts';
import { tree } from '../../../../test/support/tree.ts';

leaveHome();

describe('rerun', () => {
  test('is a new run with the same request', async () => {
    using files = tree({ '.git/HEAD': '' });
    const first = documentOf(await call(['run', '/ask-user', 'Name?', '--json', '-q', '--cwd', files.path]));
    const id = String(first['runId']);
    const again = await call(['rerun', id.slice(0, 8), '--json', '--cwd', files.path]);
    assert.deepEqual([again.code, documentOf(again)['text']], [4, 'Name?']);
    assert.notEqual(documentOf(again)['runId'], id);
    const streamed = linesOf(await call(['rerun', id, '--json', '--stream', '--cwd', files.path]));
    assert.equal(streamed[0]?.['rerunOf'], id);
  });

  test('from a frame, by its id or the name of its skill', async () => {
    using files = tree({ '.git/HEAD': '' });
    const id = await writeHistory(files.at('.skilled/skilled.db'));
    const from = async (step: string): Promise<Awaited<ReturnType<typeof call>>> =>
      call(['rerun', id, '--from', step, '--json', '--cwd', files.path]);
    const several = errorIn(await from('fetch'));
    assert.deepEqual(several.code, 'usage.not-found');
    assert.match(several.hint ?? '', /f_\w+ \(fetch\), f_\w+ \(fetch\)/);
    assert.match(errorIn(await from('nobody')).hint ?? '', /\(daily\).*\(gather\)/);
    const gone = await from('gather'); // defined in another process's code, so this process does not know it
    assert.deepEqual([gone.code, errorIn(gone).code], [3, 'skill.not-found']);
  });

  test('mistakes', async () => {
    using files = tree({ '.git/HEAD': '' });
    assert.equal((await call(['rerun'])).code, 2);
    assert.match(
      (await call(['rerun', 'r_1', '--cwd', files.path])).err,
      /there are no runs in .*skilled\.db yet/,
    );
  });
});
