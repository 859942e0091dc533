import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { compileCache } from '../../../../test/support/compile-cache.ts';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  workspace,
  writeHistory,
} from '../../../../test/support/command.ts';
import { installedMain } from '../../../../test/support/installed.ts';
import { skillText } from '../../../../test/support/tree.ts';
import { commands } from '../../commands.ts';

leaveHome();

const evil = '$(touch pwned)';
const files = workspace({
  '.skilled/.gitignore': '*\n',
  'skills/odd/SKILL.md': skillText('odd', 'Says "it\'s `id`"; $(id)\\t| \u001b[31mred'),
  'skills/evil/SKILL.md': `---\nname: "zz;${evil}"\ndescription: Evil.\n---\n`,
  [`skills/zz2${evil}/SKILL.md`]: '---\ndescription: Evil, too.\n---\n',
});
after(() => files[Symbol.dispose]());

interface Offered {
  readonly kind: string;
  readonly words: readonly { readonly word: string; readonly about: string }[];
}

async function offered(...typed: readonly string[]): Promise<Offered> {
  const ended = await call(['completion', '--words', '--json', '--cwd', files.path, '--', ...typed]);
  assert.equal(ended.code, 0, ended.out);
  return documentOf(ended) as unknown as Offered;
}

async function completionsFor(...typed: readonly string[]): Promise<readonly string[]> {
  return (await offered(...typed)).words.map(({ word }) => word);
}

describe('completion', () => {
  test('completes every command, and every flag of every command with its meaning', async () => {
    const names = commands.map(({ name }) => name);
    assert.deepEqual(await completionsFor(''), [...names, 'help']);
    assert.deepEqual(await completionsFor('help', ''), [...names, 'help']);
    for (const { name, load } of commands) {
      const { words } = await offered(name, '--');
      const found = new Set(words.map(({ word }) => word));
      for (const flag of ['json', 'cwd', 'no-color', ...Object.keys((await load()).options ?? {})])
        assert.ok(found.has(`--${flag}`), `${name} --${flag}`);
      for (const { word, about } of words) assert.notEqual(about, '', `${name} ${word} says what it is for`);
    }
  });

  const rows: readonly (readonly [typed: readonly string[], expected: readonly string[]])[] = [
    [['li'], ['list']],
    [['--json', 'li'], ['list']],
    [['show', 'al'], ['alpha']],
    [['show', '"al'], ['alpha']],
    [['run', '/al'], ['/alpha']],
    [['run', '@al'], ['@alpha']],
    [['run', '--skill', 'al'], ['alpha']],
    [['run', '--skill=al'], ['--skill=alpha']],
    [['run', 'write', ''], []],
    [['build', 'x', 'al'], ['alpha']],
    [
      ['runs', ''],
      ['show', 'cancel', 'rm', 'export', 'adopt'],
    ],
    [['runs', 'e'], ['export']],
    [
      ['sop', ''],
      ['check', 'graph', 'run'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['new', 'su'], ['subagent']],
    [['config', 'get', 'limits.dept'], ['limits.depth']],
    [['show', '--safe', 'al'], []],
    [['show', '--cwd', '/no/such/folder', ''], []],
    [['--', '--js'], []],
    [['frobnicate', ''], []],
    [['show', '--frobnicate', 'al'], ['alpha']],
  ];
  for (const [typed, expected] of rows) {
    test(`completes ${JSON.stringify(typed)}`, async () => {
      assert.deepEqual(await completionsFor(...typed), expected);
    });
  }

  test('leaves paths to the shell', async () => {
    assert.equal((await offered('validate', '')).kind, 'files');
    assert.equal((await offered('sop', 'run', 'x')).kind, 'files');
    assert.equal((await offered('list', '--skills', '')).kind, 'folders');
    assert.equal((await offered('list', '--cwd=')).kind, 'folders');
  });

  test('completes runs', async () => {
    assert.deepEqual(await completionsFor('trace', ''), []);
    const id = await writeHistory(files.at('.skilled/skilled.db'));
    assert.deepEqual(await completionsFor('trace', ''), [id]);
    assert.deepEqual(await completionsFor('runs', 'show', id.slice(0, 4)), [id]);
    assert.deepEqual(await completionsFor('approve', ''), [], 'it waits for nothing');
  });

  test('what is offered is never more than a word to a shell, and a meaning is one line', async () => {
    for (const word of await completionsFor('show', '')) assert.match(word, /^[a-z\d-]+$/);
    assert.deepEqual(await completionsFor('show', 'zz'), ['zz-touch-pwned', 'zz2-touch-pwned']);
    const { out } = await call(['completion', '--words', '--cwd', files.path, '--', 'show', 'odd']);
    assert.match(out, /^words\nodd\tSays "it's `id`"; \$\(id\)\\t\| \[31mred\n$/);
  });

  test('real bash completes, and runs nothing that it completes', async () => {
    const { out: script } = await call(['completion', 'bash']);
    const program = files.write(
      'bin/skilled',
      `#!/bin/sh\nexec '${process.execPath}' '${installedMain}' "$@"\n`,
    );
    chmodSync(program, 0o755);
    const tries = `${script}
try() { # the words as bash takes them apart; what stands before the cursor
  COMP_LINE=$1 COMP_POINT=\${#1}; shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _skilled; printf '[%s]' "\${COMPREPLY[@]}"; echo
}
try 'skilled sh' skilled sh
try 'skilled run @al' skilled run @ al
try 'skilled "${evil}" ' skilled '"${evil}"' ''
complete -p skilled
`;
    const ended = spawnSync('bash', ['--norc'], {
      input: tries,
      encoding: 'utf8',
      cwd: files.path,
      env: { ...compileCache(), PATH: `${files.at('bin')}:/usr/bin:/bin`, HOME: files.at('home') },
    });
    assert.equal(ended.stdout, '[show]\n[alpha]\n[]\ncomplete -F _skilled skilled\n', ended.stderr);
    assert.ok(!readdirSync(files.path).includes('pwned'));
  });

  test('alone it says how to install, and knows its shells', async () => {
    const { code, out } = await call(['completion']);
    assert.equal(code, 0);
    for (const shell of ['bash', 'zsh', 'fish']) assert.match(out, new RegExp(`^${shell}: `, 'm'));
    const document = documentOf(await call(['completion', 'zsh', '--json']));
    assert.match(String(document['script']), /^#compdef skilled\n/);
    assert.match(errorIn(await call(['completion', 'bahs', '--json'])).hint ?? '', /"bash"/);
    assert.equal((await call(['completion', 'bash', 'more'])).code, 2);
  });
});
