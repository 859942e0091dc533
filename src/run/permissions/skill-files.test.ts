import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  done,
  flowFamily,
  flowsIn,
  flowText,
  said,
  type Run,
} from '../../../test/support/kernel.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';

const skip = withoutBubblewrap;

async function read(scope: Scope, file_path: string): Promise<string> {
  const output = await scope.call('read', { file_path });
  return output.status === 'done' ? output.text : output.error.code;
}

/** A family whose flows read the files that are listed in their bodies. */
const reader = flowFamily({
  async execute(prepared, _input, scope) {
    const texts: string[] = [];
    for (const path of String(prepared).split(' ')) texts.push(await read(scope, path));
    return done(texts.join('\n'));
  },
  text: { load: async (prepared) => done(String(prepared)) },
});

describe('files of skills that may be read', () => {
  test('are those of the skill itself, inside its folder only', async () => {
    using files = tree({ 'work/a.txt': 'work', 'elsewhere/secret.txt': 'secret' });
    const dir = files.at('skills/one');
    files.write(
      'skills/one/FLOW.md',
      flowText('one', `${dir}/notes/style.md ${dir}/../../elsewhere/secret.txt a.txt`),
    );
    files.write('skills/one/notes/style.md', 'style');
    await using agent = agentWith(
      {},
      {
        ...flowsIn(files.at('work'), reader),
        workspace: files.at('work'),
        additionalSkillRoots: [files.at('skills')],
      },
    );
    const { text } = await agent.run({ skill: 'one' }).result;
    assert.match(text, /style/);
    assert.match(text, /policy\.denied/);
    assert.match(text, /work/);
    assert.doesNotMatch(text, /secret$/m);
  });

  test('of a skill that is a single file are that file alone', async () => {
    using files = tree({
      'skills/loose.md': skillText('loose'),
      'skills/other.txt': 'other',
      'work/a.txt': 'a',
    });
    const top: Run = async (_input, scope) =>
      done(
        [
          await read(scope, files.at('skills/loose.md')),
          await read(scope, files.at('skills/other.txt')),
        ].join('\n'),
      );
    await using agent = agentWith(
      { top },
      { workspace: files.at('work'), additionalSkillRoots: [files.at('skills')] },
    );
    const { text } = await agent.run({ skill: 'top' }).result;
    assert.match(text, /# loose/);
    assert.match(text, /policy\.denied/);
  });
});

describe('processes on behalf of a skill', { skip }, () => {
  const shell = (scope: Scope, command: string, more: object = {}): Promise<Output> =>
    scope.call('bash', { command }, more);
  const runner = flowFamily({
    async execute(prepared, _input, scope) {
      const [first = '', ...rest] = String(prepared).split('\n');
      const environment = { SKILLED_ARG_0: "it's", PATH: '/nowhere' };
      const outputs = [
        await shell(scope, first, { asWritten: true, process: { environment, stdin: 'typed' } }),
      ];
      for (const command of rest) outputs.push(await shell(scope, command));
      return done(outputs.map(({ text }) => text).join('|'));
    },
  });

  const run = async (body: string, settings: object = {}): Promise<string> => {
    using files = tree({ 'work/a.txt': 'a' });
    files.write('skills/one/FLOW.md', flowText('one', body));
    files.write('skills/one/scripts/hello.sh', 'echo hello');
    await using agent = agentWith(
      {},
      {
        ...flowsIn(files.at('work'), runner),
        workspace: files.at('work'),
        additionalSkillRoots: [files.at('skills')],
        settings,
      },
    );
    return (await agent.run({ skill: 'one' }).result).text;
  };

  test('read its folder, cannot write there, and find where it is', async () => {
    const text = await run('sh "$SKILLED_SKILL_DIR/scripts/hello.sh"; touch "$SKILLED_SKILL_DIR/x" 2>&1');
    assert.match(text, /^hello/);
    assert.match(text, /Read-only file system/);
  });

  test('get the variables of the call that cannot change what a command means, and its stdin', async () => {
    assert.equal(
      await run('printf %s "$SKILLED_ARG_0"; cat; command -v sh >/dev/null && echo !'),
      "it'styped!",
    );
  });

  test('find nothing to read where the caller gives nothing', async () => {
    assert.equal(await run('true\nwc -c'), '[no output, exit code 0]|0');
  });

  test('have the environment of the skill that calls', async () => {
    const settings = { skills: { entries: { one: { env: { COLOUR: 'red' } } } } };
    assert.equal(await run('echo $COLOUR\necho $COLOUR', settings), 'red|red');
  });

  test('of its own text share a temporary folder, which no one else sees', async () => {
    const both = flowFamily({
      async execute(_prepared, _input, scope) {
        const own = { asWritten: true } as const;
        await shell(scope, 'echo kept > /tmp/note', own);
        const second = await shell(scope, 'cat /tmp/note', own);
        return done(
          [second.text, said(await shell(scope, 'cat /tmp/note 2>/dev/null || echo gone'))].join('|'),
        );
      },
    });
    using files = tree({ 'work/a.txt': 'a', 'skills/one/FLOW.md': flowText('one', 'x') });
    await using agent = agentWith(
      {},
      {
        ...flowsIn(files.at('work'), both),
        workspace: files.at('work'),
        additionalSkillRoots: [files.at('skills')],
      },
    );
    assert.equal((await agent.run({ skill: 'one' }).result).text, 'kept|gone');
  });
});
