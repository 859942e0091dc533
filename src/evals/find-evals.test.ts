import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { readEvals, type FoundEvals } from './find-evals.ts';

function read(text: string): FoundEvals {
  using files = tree();
  return readEvals(files.write('tests/cases.yaml', text), { skill: 'alpha', dir: files.path });
}

describe('a file of cases', () => {
  test('a case says little: it is to be done, within a minute, without a model', () => {
    const { evals, faults } = read(
      '- input: { size: 37-622, count: 2 }\n- prompt: how wide?\n  name: width\n',
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(
      evals.map(({ name, line, turns }) => ({ name, line, turns })),
      [
        { name: 'line 1', line: 1, turns: [{ input: { size: '37-622', count: 2 } }] },
        { name: 'width', line: 2, turns: [{ prompt: 'how wide?' }] },
      ],
    );
    const [first] = evals;
    assert.deepEqual(first?.expect, { status: 'done' });
    assert.equal(first.timeoutSeconds, 60);
    assert.equal(first.model, undefined);
  });

  test('defaults hold for every case that does not say otherwise', () => {
    const { evals, faults } = read(
      'defaults: { roles: [office], prompt: hello, expect: { error: policy.denied } }\n' +
        'cases:\n  - roles: guest\n  - input: 1\n    expect: { status: waiting, calls: { exactly: [] } }\n',
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(
      evals.map(({ roles, turns, expect }) => ({ roles, turns, expect })),
      [
        {
          roles: ['guest'],
          turns: [{ prompt: 'hello' }],
          expect: { status: 'failed', error: 'policy.denied' },
        },
        {
          roles: ['office'],
          turns: [{ input: 1 }],
          expect: { status: 'waiting', calls: { names: [], isWhole: true } },
        },
      ],
    );
  });

  test('everything that is wrong is reported at once, with its line', () => {
    const wrong: readonly (readonly [string, readonly [number, RegExp][]])[] = [
      ['- name: [', [[1, /not valid YAML/]]],
      ['', [[1, /^The file must be a list of tests\./]]],
      ['defaults: {}', [[1, /^"cases" must be a list of tests\./]]],
      ['cases: 1', [[1, /^"cases" must be a list of tests\./]]],
      ['- 1', [[1, /^A test must be an object/]]],
      ['case: []\ncases: []', [[1, /^"case" is unknown/]]],
      ['cases:\n  - 1', [[2, /^A test must be an object/]]],
      ['defaults: { rolls: x }\ncases: []', [[1, /^"defaults.rolls" is unknown/]]],
      [
        '- nam: x\n  input: 1\n  prompt: y',
        [
          [1, /^"nam" is unknown/],
          [3, /^"prompt" cannot be combined with "input"/],
        ],
      ],
      ['- expect:\n    status: ok', [[2, /^"expect.status" must be one of done/]]],
      ['- expect:\n    error: skill.broken', [[2, /^"expect.error" must be an error code/]]],
      ['- expect:\n    text: { matches: "(" }', [[2, /^"expect.text.matches" must be .*regular expression/]]],
      ['- turns: []', [[1, /^"turns" must have at least one/]]],
      ['- approve: some', [[1, /^"approve" must be/]]],
      ['- approve: ["Wri te("]', [[1, /^"approve.0" is not a valid rule/]]],
      ['- model: {}', [[1, /^"model" must have either/]]],
      ['- model: { script: [1] }', [[1, /^"model.script.0" must be text/]]],
      [
        '- limits: { depth: 0, deep: 1 }',
        [
          [1, /^"limits.dee?p/],
          [1, /^"limits.dee?p/],
        ],
      ],
      ['- timeoutSeconds: soon', [[1, /^"timeoutSeconds" must be a number/]]],
    ];
    for (const [text, expected] of wrong) {
      const { evals, faults } = read(text);
      assert.deepEqual(evals, []);
      assert.equal(faults.length, expected.length, JSON.stringify(faults));
      for (const [index, [line, message]] of expected.entries()) {
        assert.equal(faults[index]?.line, line, text);
        assert.match(faults[index].message, message);
      }
    }
  });

  test('a file of a stranger gets nothing of the user: no paths elsewhere, no grants, no secrets', () => {
    using files = tree({ 'outside/key.txt': 'secret', 'skill/tests/inside/a.txt': '' });
    symlinkSync(files.at('outside'), files.at('skill/tests/link'));
    const hostile = [
      'workspace: ../../outside',
      'workspace: link',
      'workspace: /etc',
      'model: { recording: ../../outside/key.txt }',
      'files: { ../x: y }',
      'files: { /x: y }',
      'expect: { files: { ../../x: y } }',
      'settings: { hosts: [example.org] }',
      'settings: { read: [/etc] }',
      'settings: { processes: true }',
      'settings: { apiKey: { env: KEY } }',
      'settings: { env: { TOKEN: { env: KEY } } }',
    ];
    for (const line of hostile) {
      const file = files.write('skill/tests/cases.yaml', `- ${line}\n`);
      const { evals, faults } = readEvals(file, { skill: 'alpha', dir: files.at('skill') });
      assert.equal(evals.length, 0, line);
      assert.ok(faults.length > 0, line);
    }
    const fine = files.write(
      'skill/tests/cases.yaml',
      '- workspace: inside\n  settings: { env: { A: b }, config: { x: 1 }, workspace: read }\n',
    );
    assert.deepEqual(readEvals(fine, { skill: 'alpha', dir: files.at('skill') }).faults, []);
  });
});

test('a limit by its name in release 0.1 counts, and a warning names the new one, once and with its line', () => {
  const { evals, faults, warnings } = read(
    'defaults:\n  limits: { money: 1 }\ncases:\n  - input: 1\n  - input: 2\n  - input: 3\n    limits: { money: 2, cost: 3 }\n',
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(
    evals.map(({ limits }) => limits),
    [{ cost: 1 }, { cost: 1 }, { cost: 3 }],
  );
  assert.deepEqual(
    warnings.map(({ code, line, message }) => [code, line, message]),
    [
      [
        'settings.renamed',
        2,
        '"defaults.limits.money" is now "defaults.limits.cost". The next release will not accept the old name.',
      ],
      [
        'settings.renamed',
        7,
        '"limits.money" is now "limits.cost". The next release will not accept the old name.',
      ],
    ],
  );
  assert.deepEqual(read('- limits: { money: no }').faults.length, 1);
});
