import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../../test/support/bubblewrap.ts';
import { call, documentOf, leaveHome } from '../../../../test/support/command.ts';
import { tree } from '../../../../test/support/tree.ts';
import { builtinFamilies } from '../../../families/index.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';
import type { ServedRequest, ServedTurn } from '../../../testing/model-server/script.ts';
import { projectRoot } from '../../../../test/support/source-file.ts';

leaveHome();

const root = projectRoot;
const answer = 'It is about bread.';

describe('what is written for a new skill', { concurrency: true }, () => {
  for (const { id, authoring } of builtinFamilies) {
    if (authoring?.template === undefined) continue;
    test(`${id}: the commands that are printed work unchanged`, { skip: withoutBubblewrap }, async () => {
      using files = tree({ '.git/HEAD': '', 'README.md': '# Bread\n' });
      symlinkSync(join(root, 'node_modules'), files.at('node_modules')); // the programs that a project has
      await using server = await openModelServer(replyTo);
      const model = ['--model', 'test-model', '--base-url', `${server.url}/v1`];
      const created = await call(['new', id, `a-${id}`, '--cwd', files.path]);
      const [validate = [], run = [], ...more] = commandsIn(created.err);
      assert.deepEqual([validate[0], run[0], more], ['validate', 'run', []], created.err);

      const checked = await call(validate);
      assert.match(checked.err, /^1 valid, 0 invalid, 1 warning\.$/m);
      assert.equal(checked.code, 0);
      const { results } = documentOf(await call([...validate, '--strict', '--json'])) as {
        results: { issues: { level: string; code: string }[] }[];
      };
      assert.deepEqual(
        results.flatMap(({ issues }) => issues.map(({ level, code }) => [level, code])),
        [['error', 'description.template']],
      );

      const first = await call([...run, ...model]);
      const mustAsk = /asks for approval before its code runs/.test(created.err);
      assert.equal(first.code, mustAsk ? 4 : 0, first.out + first.err);
      const ended = mustAsk ? await call([...run, ...model, '--yes']) : first;
      assert.equal(ended.code, 0, ended.out + ended.err);
      assert.notEqual(ended.out.trim(), '');
      if (server.requests.length > 0) assert.equal(ended.out, `${answer}\n`);
    });
  }
});

/**
 * Returns the turn of a model that first reads the folder if it can, and then answers, with code if requested.
 */
function replyTo({ body }: ServedRequest): ServedTurn {
  const asked = JSON.stringify(body);
  const isFirst = !asked.includes('"tool_call_id"') && !asked.includes('"function_call_output"');
  const look = /"name":"(\w*(?:list_directory|glob))"/.exec(asked)?.[1];
  if (look !== undefined && isFirst)
    return { calls: [{ name: look, input: look === 'glob' ? { pattern: '*' } : { path: '.' } }] };
  return asked.includes('"enum":["text","code"]')
    ? JSON.stringify({ mode: 'code', code: `return ${JSON.stringify(answer)};`, explanation: 'It is known.' })
    : answer;
}

/** Returns the commands in indented lines, split into arguments. */
function commandsIn(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/^ {2}skilled (.+)$/gm)].map(([, line = '']) =>
    [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
  );
}
