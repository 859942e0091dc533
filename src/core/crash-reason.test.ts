import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { crashReason, reasonLine } from './crash-reason.ts';

/** Returns Node's own output for a program, and the program's folder. */
function stderrOf(name: string, code: string, flags: readonly string[] = []) {
  using files = tree({ [name]: code });
  const { stderr, status } = spawnSync(process.execPath, [...flags, files.at(name)], { encoding: 'utf8' });
  assert.notEqual(status, 0);
  return { stderr, at: (file: string) => files.at(file) };
}

function reasonFor(name: string, code: string, flags: readonly string[] = []): string {
  return crashReason(stderrOf(name, code, flags).stderr);
}

describe('the reason why a Node program ended is its message, and not the version, a frame or the excerpt', () => {
  test('a module that is missing', () => {
    const { stderr, at } = stderrOf('a.mjs', "import './gone.mjs';");
    assert.equal(crashReason(stderr), `Cannot find module '${at('gone.mjs')}' imported from ${at('a.mjs')}`);
    assert.equal(reasonFor('a.cjs', "require('./gone.cjs');"), "Cannot find module './gone.cjs'");
    assert.match(
      reasonFor('a.mjs', "import 'left-pad';"),
      /^Cannot find package 'left-pad' imported from \//,
    );
  });

  test('a file that is not there', () => {
    const { stderr } = spawnSync(process.execPath, ['/no/such/worker.js'], { encoding: 'utf8' });
    assert.equal(crashReason(stderr), "Cannot find module '/no/such/worker.js'");
  });

  test('code that cannot be read, with its file and line', () => {
    for (const name of ['a.mjs', 'a.cjs']) {
      const { stderr, at } = stderrOf(name, '\nconst x = ;');
      assert.equal(crashReason(stderr), `SyntaxError: Unexpected token ';' (${at(name)}:2)`);
    }
    const { stderr, at } = stderrOf('a.mjs', "import { nothing } from 'node:fs';");
    const missing = "SyntaxError: The requested module 'node:fs' does not provide an export named 'nothing'";
    assert.equal(crashReason(stderr), `${missing} (${at('a.mjs')}:1)`);
    assert.match(reasonFor('a.ts', 'enum A { B }'), /^SyntaxError: TypeScript enum is not supported/);
  });

  test('an error that no one caught', () => {
    for (const name of ['a.mjs', 'a.cjs'])
      assert.equal(reasonFor(name, "throw new TypeError('No luck.');"), 'TypeError: No luck.');
    assert.equal(reasonFor('a.mjs', "Promise.reject(new Error('late'));"), 'late');
    assert.equal(reasonFor('a.mjs', "throw 'text';"), 'text');
    assert.equal(reasonFor('a.mjs', "throw new Error('first\\nsecond');"), 'first second');
    assert.match(
      reasonFor('a.mjs', "await (await import('node:fs/promises')).readFile('/no/such');"),
      /^ENOENT: no such file or directory, open '\/no\/such'$/,
    );
  });

  test('the error itself and not its cause, nor an earlier one that was only printed', () => {
    const code = `
      console.error(new Error('only printed'));
      throw new Error('outer', { cause: new Error('inner') });`;
    assert.equal(reasonFor('a.mjs', code), 'outer');
    const all = "throw new AggregateError([new Error('one'), new Error('two')], 'all failed');";
    assert.equal(reasonFor('a.mjs', all), 'AggregateError: all failed');
  });

  test('an error that the program printed itself before it ended', () => {
    const code = "console.error('Fatal error in main():', new RangeError('too far')); process.exit(1);";
    assert.equal(reasonFor('a.mjs', code), 'Fatal error in main(): RangeError: too far');
  });

  test('no memory left', () => {
    const code = 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5));';
    assert.match(reasonFor('a.mjs', code, ['--max-old-space-size=20']), /^[^|]* heap out of memory$/);
  });

  test('what Node may not do, and a flag that it does not know', () => {
    const code = "import { readFileSync } from 'node:fs'; readFileSync('/no/such');";
    assert.match(reasonFor('a.mjs', code, ['--permission']), /^Access to this API has been restricted\./);
    assert.match(reasonFor('a.mjs', '', ['--no-such-flag']), /: bad option: --no-such-flag$/);
  });

  test('a program without an error is reported by its last lines, without warnings', () => {
    const code = `
      process.emitWarning('old');
      setTimeout(() => { console.error('Starting.\\n\\n  No key is set.'); process.exit(3); });`;
    assert.equal(reasonFor('a.mjs', code), 'Starting. | No key is set.');
  });
});

describe('the reason why another program ended', () => {
  test('bubblewrap, a shell and the loader of programs say it in one line', () => {
    for (const line of [
      "bwrap: Can't find source path /no/such: No such file or directory",
      'bwrap: setting up uid map: Permission denied',
      'sh: 1: no-such-program: not found',
      '/opt/node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory',
    ])
      assert.equal(crashReason(`${line}\n`), line);
  });

  test('a traceback of Python has it below its frames', () => {
    const stderr = [
      'Traceback (most recent call last):',
      '  File "/srv/x.py", line 3, in f',
      '    json.loads("{")',
      '    ~~~~~~~~~~^^^^^',
      '  File "/usr/lib/json/decoder.py", line 353, in raw_decode',
      '    obj, end = self.scan_once(s, idx)',
      'json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "/srv/x.py", line 9, in <module>',
      '    main()',
      "ModuleNotFoundError: No module named 'requests'",
      '',
    ].join('\n');
    assert.equal(crashReason(stderr), "ModuleNotFoundError: No module named 'requests'");
    const syntax = '  File "/srv/y.py", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n';
    assert.equal(crashReason(syntax), 'SyntaxError: invalid syntax');
  });

  test('npm says codes before it and advice after it', () => {
    const stderr = [
      'npm warn Unknown user config "x".',
      'npm error code E404',
      'npm error 404 Not Found - GET https://registry.example/no-such-package',
      'npm error 404',
      'npm error A complete log of this run can be found in: /home/ann/.npm/_logs/x.log',
    ].join('\n');
    assert.equal(crashReason(stderr), '404 Not Found - GET https://registry.example/no-such-package');
  });

  test('colours are left out, and what is too long is cut', () => {
    assert.equal(crashReason('\u001B[31mno key\u001B[0m\r\n'), 'no key');
    const [long, lines] = [`Error: ${'x'.repeat(9999)}\n    at f (/x.js:1:1)\n`, 'line\n'.repeat(9999)];
    assert.ok([long, lines].every((text) => crashReason(text).length <= 1000));
    assert.equal(crashReason(''), '');
    assert.equal(crashReason('\n\nNode.js v24.21.0\n'), '');
  });
});

test('a thrown error is reported on one line, without the stack of require', () => {
  const parts = [
    "The module '/x.node'",
    'was compiled against a different version.',
    'Require stack:',
    '- /a',
  ];
  assert.equal(reasonLine(new Error(parts.join('\n'))), parts.slice(0, 2).join(' '));
  assert.equal(reasonLine('its thread exited'), 'its thread exited');
});
