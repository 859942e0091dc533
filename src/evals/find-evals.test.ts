import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { readTrials, type ReadTrials } from './find-evals.ts';

function read(text: string): ReadTrials {
  using files = tree();
  return readTrials(files.write('tests/cases.yaml', text), { skill: 'alpha', dir: files.path });
}

describe('a file of cases', () => {
  test('a case says little: it is to be done, within a minute, without a model', () => {
    const { trials, faults } = read(
      '- input: { size: 37-622, count: 2 }\n- prompt: how wide?\n  name: width\n',
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(
      trials.map(({ name, line, turns }) => ({ name, line, turns })),
      [
        { name: 'line 1', line: 1, turns: [{ input: { size: '37-622', count: 2 } }] },
        { name: 'width', line: 2, turns: [{ prompt: 'how wide?' }] },
      ],
    );
    const [first] = trials;
    assert.deepEqual(first?.expect, { status: 'done' });
    assert.equal(first.timeoutSeconds, 60);
    assert.equal(first.model, undefined);
  });

  test('defaults hold for every case that does not say otherwise', () => {
    const { trials, faults } = read(
      'defaults: { roles: [office], prompt: hello, expect: { error: policy.denied } }\n' +
        'cases:\n  - roles: guest\n  - input: 1\n    expect: { status: waiting, calls: { exactly: [] } }\n',
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(
      trials.map(({ roles, turns, expect }) => ({ roles, turns, expect })),
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

  test('everything that is wrong is told at once, with its line', () => {
    const wrong: readonly (readonly [string, readonly [number, RegExp][]])[] = [
      ['- name: [', [[1, /no YAML/]]],
      ['', [[1, /^The file must be a list of cases\./]]],
      ['defaults: {}', [[1, /^"cases" must be a list of cases\./]]],
      ['cases: 1', [[1, /^"cases" must be a list of cases\./]]],
      ['- 1', [[1, /^A case must be an object/]]],
      ['case: []\ncases: []', [[1, /^"case" is not known/]]],
      ['cases:\n  - 1', [[2, /^A case must be an object/]]],
      ['defaults: { rolls: x }\ncases: []', [[1, /^"defaults.rolls" is not known/]]],
      [
        '- nam: x\n  input: 1\n  prompt: y',
        [
          [1, /^"nam" is not known/],
          [3, /^"prompt" cannot stand beside "input"/],
        ],
      ],
      ['- expect:\n    status: ok', [[2, /^"expect.status" must be one of done/]]],
      ['- expect:\n    error: skill.broken', [[2, /^"expect.error" must be the code/]]],
      ['- expect:\n    text: { matches: "(" }', [[2, /^"expect.text.matches" must be a regular/]]],
      ['- turns: []', [[1, /^"turns" must have at least one/]]],
      ['- approve: some', [[1, /^"approve" must be/]]],
      ['- approve: ["Wri te("]', [[1, /^"approve.0" is no rule/]]],
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
      const { trials, faults } = read(text);
      assert.deepEqual(trials, []);
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
      const { trials, faults } = readTrials(file, { skill: 'alpha', dir: files.at('skill') });
      assert.equal(trials.length, 0, line);
      assert.ok(faults.length > 0, line);
    }
    const fine = files.write(
      'skill/tests/cases.yaml',
      '- workspace: inside\n  settings: { env: { A: b }, config: { x: 1 }, workspace: read }\n',
    );
    assert.deepEqual(readTrials(fine, { skill: 'alpha', dir: files.at('skill') }).faults, []);
  });
});
