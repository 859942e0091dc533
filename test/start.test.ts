import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { openModelServer } from '../src/testing/model-server/server.ts';
import { hidingBubblewrap, withoutBubblewrap } from './support/bubblewrap.ts';
import type { Ended } from './support/command.ts';
import { compileCache } from './support/compile-cache.ts';
import { tree, type Tree } from './support/tree.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const printed = /^```text\n(No model[^]*?)^```$/m.exec(readme)?.[1] ?? '';
const report = printed.slice(printed.indexOf('5 of 8'), printed.indexOf('run r_'));

describe('npm start', { concurrency: true }, () => {
  test('it prints what the README shows, and again, with what became of the records', async () => {
    using home = openClone();
    const first = await start(home);
    assert.deepEqual([first.code, first.out], [0, report], first.err);
    if (withoutBubblewrap === false) assert.equal(plain(first.err), plain(printed.replace(report, '')));
    const input = {
      operation: 'update',
      set: { status: 'ok' },
      where: { field: 'tag', is: 'equals', value: 'D-1' },
      confirm: false,
    };
    const workshop = ['--cwd', 'examples/workshop', '--skills', 'skills'];
    const request = ['run', '--skill', 'equipment', '--args-json', JSON.stringify(input), ...workshop];
    const changed = await start(home, request);
    assert.equal(changed.code, 0, changed.err);

    const second = await start(home);
    assert.equal(second.code, 0, second.err);
    assert.match(second.out, /^6 of 8 machines are ready \(75 %\), 2\.5 hours of repair are open\.$/m);
    const again = /npm start -- (trace r_\w+ --cwd \S+)$/m.exec(second.err)?.[1]?.split(' ') ?? [];
    const traced = await start(home, again);
    assert.match(traced.out, /^✓ morning-report [^]*^├ ✓ notice-board [^]*^├ ✓ report-sheet /m);
    assert.deepEqual(leftIn(home), ['.gitignore', 'settings.json', 'skilled.db', 'tables.db']);
  });

  test(
    'without a sandbox it says so; a model that is found is asked',
    { skip: withoutBubblewrap },
    async () => {
      using home = openClone();
      const value = { first: 'S-1 Big stand', why: 'Most jobs need it.' };
      await using server = await openModelServer([{ calls: [{ name: 'submit', input: value }] }]);
      const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${server.url}/v1` };
      const { code, out, err } = await start(home, [], { env, wrapper: hidingBubblewrap });
      assert.deepEqual([code, out], [0, `${report}Repair first: S-1 Big stand. Most jobs need it.\n`], err);
      assert.match(err, /^The model openai\/\S+ was found\.$/m);
      assert.match(err, /^Code runs without a sandbox: bubblewrap does not work here\./m);
      assert.match(err, /^allowed once: .*"report-sheet": Its code runs without a sandbox/m);
      assert.match(JSON.stringify(server.requests.at(-1)), /S-1 Big stand \(front\)/);
    },
  );

  test(
    'neither a folder that is read-only nor a model that fails spoils it',
    { skip: withoutBubblewrap },
    async () => {
      using home = openClone();
      const [clone, temporary] = [home.at('clone'), home.at('tmp')];
      const wrapper = [
        'bwrap',
        '--dev-bind',
        '/',
        '/',
        '--ro-bind',
        clone,
        clone,
        '--bind',
        temporary,
        temporary,
      ];
      const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
      const { code, out, err } = await start(home, [], { env, wrapper });
      assert.deepEqual([code, out], [0, report], err);
      assert.match(
        err,
        /^The model gave no answer: .* Check it: SKILLED_STORE=\S+ npm start -- models --check$/m,
      );
      assert.match(err, /^SKILLED_STORE=\S+ npm start -- trace r_\w+ --cwd examples\/workshop$/m);
      assert.deepEqual(leftIn(home), ['.gitignore', 'settings.json']);
    },
  );

  test('commands work in the folder where npm was called', async () => {
    using home = openClone();
    home.write('own/skills/greeting.md', '---\nname: greeting\ndescription: Greets.\n---\nHello.\n');
    const env = { npm_lifecycle_event: 'start', INIT_CWD: home.at('own') };
    const { code, out } = await start(home, ['list'], { env });
    assert.equal(code, 0);
    assert.match(out, /^greeting +agent-skill +project +ready/m);
  });

  test('printed commands are typed as this one was, also from outside of the clone', async () => {
    using home = openClone();
    const inside = await start(home, ['run', '/glob', '*.md', '--cwd', 'examples/workshop']);
    const traced = await paste(home, inside.err, home.at('clone'));
    assert.match(traced.out, /^run r_\w+ · done/m, traced.err);
    assert.match(inside.err, / · npm start -- trace r_\w+ --cwd examples\/workshop$/m);

    const env = { npm_lifecycle_event: 'start', INIT_CWD: home.at('own') };
    const outside = await start(home, ['run', '/ask-user', 'Which way?', '--cwd', home.at('tmp')], { env });
    const answered = await paste(home, outside.err, home.at('own'));
    assert.equal(answered.out, '<answer>\n', answered.err);
    assert.ok(outside.err.includes(`npm --prefix ${home.at('clone')} start -- resume r_`), outside.err);
  });
});

/** Creates a clone with its own workshop, and the source and packages of this project. */
function openClone(): Tree {
  const home = tree();
  for (const folder of ['clone/.git', 'clone/examples', 'tmp', 'own'])
    mkdirSync(home.at(folder), { recursive: true });
  const isSource = (path: string): boolean => !/\.db|\.generation$/.test(path); // files of earlier workshop runs
  for (const part of ['scripts', 'examples/workshop'])
    cpSync(join(root, part), home.at('clone', part), { recursive: true, filter: isSource });
  for (const part of ['src', 'node_modules']) symlinkSync(join(root, part), home.at('clone', part));
  return home;
}

function start(
  home: Tree,
  args: readonly string[] = [],
  how: { readonly env?: Readonly<Record<string, string>>; readonly wrapper?: readonly string[] } = {},
): Promise<Ended> {
  const [program = '', ...rest] = [...(how.wrapper ?? []), process.execPath, 'scripts/start.js', ...args];
  const { PATH = '' } = process.env;
  const env = { HOME: home.at('own'), PATH, TMPDIR: home.at('tmp'), ...compileCache(), ...how.env };
  return new Promise((done) => {
    const options = { cwd: home.at('clone'), env, timeout: 60_000 };
    const child = execFile(program, rest, options, (_error, out, err) => {
      done({ code: child.exitCode, out, err });
    });
  });
}

/** Pastes the first printed command into a shell in a folder, with the npm of this machine. */
function paste(home: Tree, printed: string, cwd: string): Promise<Ended> {
  const [command = ''] = /npm (?:--prefix \S+ )?start -- .*$/m.exec(printed) ?? [];
  const PATH = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const scripts = { start: 'node scripts/start.js' };
  home.write(
    'clone/package.json',
    JSON.stringify({ name: 'clone', version: '1.0.0', type: 'module', scripts }),
  );
  return new Promise((done) => {
    const env = { HOME: home.at('own'), PATH, TMPDIR: home.at('tmp'), ...compileCache() };
    const child = execFile(
      'sh',
      ['-c', command.replace('npm ', 'npm --silent ')],
      { cwd, env, timeout: 60_000 },
      (_error, out, err) => {
        done({ code: child.exitCode, out, err });
      },
    );
  });
}

/** Returns the files that the runs left in the workshop. */
function leftIn(home: Tree): readonly string[] {
  return readdirSync(home.at('clone/examples/workshop/.skilled')).sort();
}

/** Removes the parts that differ between runs, such as which of two calls waited for the table. */
function plain(text: string): string {
  const lines = text.split('\n').filter((line) => !line.includes('prepared by'));
  return lines
    .join('\n')
    .replace(/r_[0-9a-f]+/g, 'r_…')
    .replace(/\d+(?:\.\d)? s/g, '0.0 s');
}
