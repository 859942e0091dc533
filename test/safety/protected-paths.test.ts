import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json } from '../../src/core/json.ts';
import { protectedPaths } from '../../src/files/protected.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { leaveHome, type Ended } from '../support/command.ts';
import { runCommand } from '../support/command-process.ts';
import { tree } from '../support/tree.ts';
import { createStage, type Stage } from './stage.ts';
import { runSkill } from './report.ts';

leaveHome();

const listed = [...protectedPaths.map(({ path }) => path), '.env', '.env.local', '.envrc'];
const everything = { allow: ['Bash', 'Write', 'Edit', 'Write(**)', 'Edit(**)'] };

/** Writes every protected path as a file below `sub`. */
function writeAll(stage: Pick<Stage, 'at'>): readonly string[] {
  return listed.map((path) => {
    const file = stage.at(`sub/${path.replaceAll('/', '_')}/${path}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'old');
    return file;
  });
}

async function tryTo(agent: RecursiveSkilledAgent, skill: string, input: Json) {
  const { result } = await runSkill(agent, { skill, input });
  return result;
}

describe('the file tools', () => {
  test('change no path of the list, whatever is allowed, and say what a person can do', async () => {
    using stage = createStage();
    const files = writeAll(stage);
    await using agent = stage.agent({ permissions: everything });
    for (const file_path of files)
      for (const [skill, input] of [
        ['write', { file_path, content: 'new' }],
        ['edit', { file_path, old_string: 'old', new_string: 'new' }],
        ['write', { file_path: `${file_path}.d/../${file_path.split('/').at(-1) ?? ''}`, content: 'new' }],
      ] as const) {
        const { error, status } = await tryTo(agent, skill, input);
        assert.deepEqual([status, error?.code], ['failed', 'policy.denied'], `${skill} ${input.file_path}`);
        assert.match(
          `${error?.message ?? ''} ${error?.hint ?? ''}`,
          /is protected: .*(?:yourself|git itself|Only a person)/,
        );
      }
    for (const file of files) assert.equal(readFileSync(file, 'utf8'), 'old');
    const isNew = await tryTo(agent, 'write', { file_path: 'deep/new/.npmrc', content: 'x' });
    assert.equal(isNew.error?.code, 'policy.denied');
    assert.ok(!existsSync(stage.at('deep')));
  });

  test('ask each time where a rule of the user names the path, and write to that very path alone', async () => {
    using stage = createStage();
    stage.write('.env', 'old');
    const allow = ['Write(.vscode/**)', 'Edit(.env)', 'Write(.git/**)', 'Write(.skilled/**)'];
    await using agent = stage.agent({ permissions: { allow } });
    for (const content of ['one', 'two']) {
      const asked = await tryTo(agent, 'write', { file_path: '.vscode/tasks.json', content });
      assert.equal(asked.status, 'waiting', JSON.stringify(asked));
      assert.match(JSON.stringify(asked.question), /it can make an editor run tasks/);
      await agent.runs.approve(asked.runId, asked.question?.id ?? '', { allow: 'run' });
      assert.equal((await agent.runs.resume(asked.runId).result).status, 'done');
      assert.equal(readFileSync(stage.at('.vscode/tasks.json'), 'utf8'), content);
    }
    const edited = await tryTo(agent, 'edit', { file_path: '.env', old_string: 'old', new_string: 'new' });
    assert.equal(edited.status, 'waiting');
    stage.write('swapped/x', '');
    const swapped = await tryTo(agent, 'write', { file_path: '.vscode/sub/x', content: 'new' });
    symlinkSync('../swapped', stage.at('.vscode/sub'));
    await agent.runs.approve(swapped.runId, swapped.question?.id ?? '', { allow: 'once' });
    await agent.runs.resume(swapped.runId).result;
    for (const file_path of ['.git/config', '.skilled/settings.json', '.npmrc', '.env.local']) {
      const { error } = await tryTo(agent, 'write', { file_path, content: 'new' });
      assert.equal(error?.code, 'policy.denied', file_path);
    }
  });

  test('ask although a policy of the host allows everything', async () => {
    using stage = createStage();
    await using agent = stage.agent({ policy: { decide: () => ({ decision: 'allow' }) } });
    const { status } = await tryTo(agent, 'write', { file_path: '.envrc', content: 'x' });
    assert.equal(status, 'waiting');
    assert.equal((await tryTo(agent, 'write', { file_path: '.env.example', content: 'x' })).status, 'done');
  });
});

describe('a store in the workspace', { skip: withoutBubblewrap }, () => {
  for (const path of ['data/skilled.db', 'skilled.db'])
    test(`${path}: nothing is planted beside it`, async () => {
      using stage = createStage();
      const records = stage.write(path.replace('skilled', 'records'), '');
      new DatabaseSync(records).exec('create table t (a); insert into t values (1)');
      const store = stage.at(path);
      await using agent = stage.agent({ store, database: records, permissions: { allow: ['Bash'] } });
      const command = [store, records]
        .flatMap((file) =>
          ['-journal', '-wal', '-shm'].map((end) => `echo forged > ${file}${end}; cat ${file}${end}`),
        )
        .join('; ');
      const ended = await tryTo(agent, 'bash', { command: `${command}; cat ${store}; mv data moved; true` });
      assert.equal(ended.status, 'done', JSON.stringify(ended));
      assert.doesNotMatch(ended.text, /^forged/m);
      for (const file of [store, records])
        for (const end of ['-journal', '-wal'])
          assert.doesNotMatch(existsSync(file + end) ? readFileSync(file + end, 'latin1') : '', /^forged/);
    });
});

describe('the installed command', { skip: withoutBubblewrap, concurrency: true }, () => {
  const skilled = (
    files: Disposable & { at(path: string): string },
    ...args: readonly string[]
  ): Promise<Ended> =>
    runCommand([...args, '-q'], {
      env: { HOME: files.at('home'), PATH: '/usr/bin:/bin' },
      cwd: files.at('project'),
    });

  test('names what a command made at protected paths, and where it is now', async () => {
    using files = tree({ 'home/x': '', 'project/sub/.env': 'old' });
    const command = 'touch .npmrc; mkdir -p .vscode; mkdir -p lib/.git; echo new > sub/.env; touch fine';
    const { out, code } = await skilled(files, 'run', '/bash', '--command', command, '--yes');
    assert.equal(code, 0, out);
    for (const name of ['.npmrc', '.vscode', 'lib/.git']) {
      assert.match(
        out,
        new RegExp(`\\[undone: ${files.at('project', name)}: It is protected: .* It was moved to `),
      );
      assert.ok(!existsSync(files.at('project', name)), name);
    }
    assert.ok(existsSync(files.at('project/fine')));
    assert.equal(readFileSync(files.at('project/sub/.env'), 'utf8'), 'old');
  });

  test('lets no command plant a file beside a store outside of .skilled', async () => {
    using files = tree({ 'home/x': '', 'project/data/x': '' });
    const store = files.at('project/data/runs.db');
    const command =
      'for end in "" -wal -shm -journal; do echo forged > data/runs.db$end; done; ls data; true';
    const { err, code } = await runCommand(['run', '/bash', '--command', command, '--yes', '--quiet'], {
      env: { HOME: files.at('home'), PATH: '/usr/bin:/bin', SKILLED_STORE: store },
      cwd: files.at('project'),
    });
    assert.equal(code, 0, err);
    for (const end of ['', '-wal', '-shm', '-journal'])
      assert.doesNotMatch(existsSync(store + end) ? readFileSync(store + end, 'latin1') : '', /^forged/, end);
  });

  test('refuses a linked .skilled', async () => {
    using files = tree({ 'home/x': '', 'project/elsewhere/settings.json': '{}' });
    symlinkSync('elsewhere', files.at('project/.skilled'));
    const { err, code } = await skilled(files, 'run', '/bash', '--command', 'true', '--yes');
    assert.notEqual(code, 0);
    assert.match(err, /\.skilled is a link/);
  });

  test('writes no protected file, and says which rule would let it ask', async () => {
    using files = tree({ 'home/x': '', 'project/x': '' });
    const { err, code } = await skilled(
      files,
      'run',
      '/write',
      '--file_path',
      '.envrc',
      '--content',
      'x',
      '--yes',
    );
    assert.equal(code, 4, err);
    assert.match(err, /"\.envrc" is protected: .*Write\(\.env\*\)/s);
  });
});
