import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, workspace } from '../../test/support/command.ts';
import { exitCodeOf, isErrorCode } from '../core/error.ts';
import { commands } from './commands.ts';

leaveHome();

/** The arguments of a command line, and its exit code. */
type Row = readonly [args: readonly string[], code: number];

interface Rows {
  readonly right: readonly Row[];
  readonly wrong: readonly Row[];
}

// The order matters: later commands use the run of the first one.
const rows: Readonly<Record<string, Rows>> = {
  run: {
    right: [[['/ask-user', 'Which way?'], 4]],
    wrong: [
      [['/nope'], 3],
      [[], 2],
    ],
  },
  chat: {
    right: [],
    wrong: [
      [['-r', 's_nope'], 2],
      [['-c', '-r', 's_nope'], 2],
      [['word'], 2],
    ],
  },
  resume: {
    right: [[['last', 'left'], 0]],
    wrong: [
      [['r_nope'], 2],
      [[], 2],
    ],
  },
  approve: { right: [[[], 0]], wrong: [[['q_nope'], 2]] },
  rerun: { right: [[['last'], 4]], wrong: [[['r_nope'], 2]] },
  runs: {
    right: [
      [[], 0],
      [['show', 'last'], 0],
      [['export', 'last'], 0],
      [['rm', '--older', '3'], 0],
    ],
    wrong: [
      [['show', 'r_nope'], 2],
      [['frob'], 2],
    ],
  },
  trace: {
    right: [
      [['last'], 0],
      [['last', '--why'], 0],
    ],
    wrong: [[['r_nope'], 2]],
  },
  artifacts: {
    right: [[['last'], 0]],
    wrong: [
      [['last', 'nope'], 2],
      [['last', '--again'], 2],
      [[], 2],
    ],
  },
  sop: {
    right: [
      [['check', 'plan.sop'], 0],
      [['check', 'plan.sop', 'broken.sop'], 3],
      [['graph', 'plan.sop'], 0],
      [['graph', 'broken.sop'], 3],
      [['run', 'plan.sop', '--input', 'x'], 0],
    ],
    wrong: [
      [['check', 'nope.sop'], 2],
      [['check'], 2],
      [['graph', 'nope.sop'], 2],
      [['run', 'broken.sop'], 2],
      [['run', 'plan.sop'], 2],
      [['frob'], 2],
      [[], 2],
    ],
  },
  list: { right: [[[], 0]], wrong: [[['word'], 2]] },
  graph: {
    right: [
      [[], 0],
      [['alpha'], 0],
    ],
    wrong: [
      [['no-such-skill'], 3],
      [['--dot'], 2],
    ],
  },
  show: {
    right: [[['alpha'], 0]],
    wrong: [
      [['nope'], 3],
      [[], 2],
    ],
  },
  render: {
    right: [
      [['alpha', 'some', 'words'], 0],
      [['alpha', '--explain'], 0],
      [['alpha', '--run', '--yes', '--quiet'], 0],
    ],
    wrong: [
      [['nope'], 3],
      [['glob'], 2],
      [[], 2],
    ],
  },
  find: { right: [[['first'], 0]], wrong: [[[], 2]] },
  catalog: { right: [[[], 0]], wrong: [[['--max-chars', 'x'], 2]] },
  new: {
    right: [
      [['skill', 'gamma'], 0],
      [[], 0],
    ],
    wrong: [
      [['skill', 'gamma'], 2],
      [['nope', 'gamma'], 2],
      [['skill'], 2],
    ],
  },
  build: {
    right: [[[], 0]],
    wrong: [
      [['nope'], 3],
      [['alpha'], 2],
    ],
  },
  test: {
    right: [
      [[], 0],
      [['--example', 'alpha'], 0],
    ],
    wrong: [
      [['nope'], 3],
      [['--example'], 2],
    ],
  },
  validate: {
    right: [
      [[], 0],
      [['no/such/path'], 3],
    ],
    wrong: [],
  },
  trust: {
    right: [
      [[], 0],
      [['grant', 'alpha'], 0],
      [['revoke', 'alpha'], 0],
    ],
    wrong: [
      [['grant', 'nope'], 3],
      [['grant', '.'], 2],
      [['revoke', 'nope'], 2],
      [['frob'], 2],
    ],
  },
  audit: { right: [[[], 0]], wrong: [[['no/such/path'], 2]] },
  mcp: {
    right: [],
    wrong: [
      [['word'], 2],
      [['--port', '1'], 2],
    ],
  },
  serve: { right: [], wrong: [[['word'], 2]] },
  dev: { right: [], wrong: [[['word'], 2]] },
  acp: { right: [], wrong: [[['word'], 2]] },
  keys: {
    right: [
      [['add', 'web'], 0],
      [[], 0],
      [['revoke', 'web'], 0],
    ],
    wrong: [
      [['revoke', 'web'], 2],
      [['frob'], 2],
    ],
  },
  'audit-log': { right: [[[], 0]], wrong: [[['--since', 'yesterday'], 2]] },
  models: { right: [[['--offline'], 0]], wrong: [[['--model', 'x'], 2]] },
  config: {
    right: [
      [[], 0],
      [['list', '--all'], 0],
      [['get', 'models'], 0],
      [['set', 'offline', 'true'], 0],
      [['explain', 'offline'], 0],
      [['unset', 'offline'], 0],
      [['path'], 0],
    ],
    wrong: [
      [['get', 'nope'], 2],
      [['set', 'offline', 'x'], 2],
      [['frob'], 2],
    ],
  },
  doctor: {
    right: [
      [[], 0],
      [['--fix'], 0],
    ],
    wrong: [[['word'], 2]],
  },
  completion: {
    right: [
      [[], 0],
      [['bash'], 0],
      [['--words'], 0],
    ],
    wrong: [[['tcsh'], 2]],
  },
  add: {
    right: [],
    wrong: [
      [[], 2],
      [['./nope'], 2],
      [['not a source'], 2],
    ],
  },
  remove: {
    right: [],
    wrong: [
      [[], 2],
      [['nope'], 3],
    ],
  },
  outdated: { right: [[[], 0]], wrong: [[['nope'], 3]] },
  update: { right: [[[], 0]], wrong: [[['--to', 'v1'], 2]] },
  install: { right: [[[], 0]], wrong: [[['word'], 2]] },
  verify: { right: [[[], 0]], wrong: [[['nope'], 3]] },
  lock: { right: [[[], 0]], wrong: [[['word'], 2]] },
  pack: { right: [], wrong: [[[], 2]] },
  publish: { right: [], wrong: [[['.'], 2]] },
  init: { right: [[[], 0]], wrong: [[['word'], 2]] },
  demo: { right: [[[], 0]], wrong: [[['--speed', 'x'], 2]] },
};

describe('with --json every command prints one document and nothing else', () => {
  const files = workspace({ 'plan.sop': '@a assign $input', 'broken.sop': '@a nope $b' });
  after(() => files[Symbol.dispose]());

  test('every command is tried here', () => {
    assert.deepEqual(
      commands.map(({ name }) => name).filter((name) => !Object.hasOwn(rows, name)),
      [],
    );
  });

  for (const [name, { right, wrong }] of Object.entries(rows)) {
    for (const [args, code] of right) {
      test(`${[name, ...args].join(' ')} succeeds`, async () => {
        const ended = await call([name, ...args, '--json', '--cwd', files.path]);
        assert.equal(typeof documentOf(ended)['ok'], 'boolean');
        assert.equal(ended.code, code, ended.out + ended.err);
      });
    }
    for (const [args, code] of [...wrong, [['-x'], 2], [['--cwd', '/no/such/folder'], 2]] as const) {
      test(`${[name, ...args].join(' ')} fails`, async () => {
        const ended = await call([name, '--json', '--cwd', files.path, ...args]);
        const error = errorIn(ended);
        assert.ok(isErrorCode(error.code), error.code);
        assert.equal(ended.code, exitCodeOf(error.code));
        assert.equal(ended.code, code, error.message);
        assert.ok((error.hint ?? '') !== '', 'there is a next step');
        assert.equal(ended.err, '');
      });
    }
  }
});
