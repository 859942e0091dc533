import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { defineFamily, type Family, type FamilySpec } from '../family.ts';
import { currentFamily } from './family.ts';
import { acceptRenamed, acceptRenamedLimits, renamedMembers, warnRenamed } from './renamed.ts';
import { withEarlierNames } from './scope.ts';

/** Records the warnings of a test about this owner of names, without printing them. */
function warnings(t: TestContext, owner: string): readonly string[] {
  const said: string[] = [];
  t.mock.method(process, 'emitWarning', (message: string) => {
    if (message.startsWith(`${owner}.`)) said.push(message);
  });
  return said;
}

test('a name is warned about once in a process, with its code and the new name', (t) => {
  const emit = t.mock.method(process, 'emitWarning', () => undefined);
  for (let time = 0; time < 3; time++) warnRenamed('Once.old', 'Once.new');
  const message = 'Once.old is now Once.new. The next release removes the old name.';
  const calls = emit.mock.calls.map((call): readonly unknown[] => call.arguments);
  assert.deepEqual(
    calls.filter(([said]) => String(said).startsWith('Once.')),
    [[message, { type: 'DeprecationWarning', code: 'SKILLED_RENAMED' }]],
  );
});

describe('options', () => {
  const names = { old: 'current', older: 'current' };
  const accept = (options: object, owner = 'Options'): object => acceptRenamed(options, names, owner);

  test('without old names stay the same object, and nothing is said', (t) => {
    const said = warnings(t, 'Options');
    const options = { current: 1, other: 2 };
    assert.equal(accept(options), options);
    assert.deepEqual(said, []);
  });

  test('get their current names; what is given is not changed', (t) => {
    const said = warnings(t, 'A');
    const options = Object.freeze({ old: 1, other: 2 });
    assert.deepEqual(accept(options, 'A'), { current: 1, other: 2 });
    assert.deepEqual(said, ['A.old is now A.current. The next release removes the old name.']);
  });

  test('with both names go by the current one, unless that says nothing', (t) => {
    warnings(t, 'Options');
    assert.deepEqual(accept({ old: 1, current: 2 }), { current: 2 });
    assert.deepEqual(accept({ old: 1, current: null }), { current: null });
    assert.deepEqual(accept({ old: 1, current: undefined }), { current: 1 });
    assert.deepEqual(accept({ older: 1, old: undefined }), { current: 1 });
  });

  test('limits get theirs wherever they are given', (t) => {
    warnings(t, 'limits');
    assert.deepEqual(acceptRenamedLimits({ money: 0, depth: 2 }), { cost: 0, depth: 2 });
    const limits = { cost: 1 };
    assert.equal(acceptRenamedLimits(limits), limits);
  });
});

describe('members', () => {
  const part = {
    count: 0,
    add(by: number) {
      return (this.count += by);
    },
  };
  const make = (owner = 'Whole'): Readonly<Record<string, unknown>> =>
    Object.defineProperties(
      { name: 'x', part: { ...part } },
      renamedMembers({ label: 'name', total: 'part.count', add: 'part.add' }, owner),
    );

  test('lead to what the path says now, and functions keep their object', (t) => {
    const said = warnings(t, 'B');
    const whole = make('B');
    const add = whole['add'] as (by: number) => number;
    assert.deepEqual([whole['label'], whole['total'], add(2), whole['total']], ['x', 0, 2, 2]);
    assert.deepEqual(
      said.map((message) => message.split('. The')[0]),
      ['B.add is now B.part.add', 'B.label is now B.name', 'B.total is now B.part.count'],
    );
  });

  test('are seen by no copy, comparison or JSON, which say nothing', (t) => {
    const said = warnings(t, 'C');
    const whole = make('C');
    assert.deepEqual(Object.keys({ ...whole }), ['name', 'part']);
    assert.equal(JSON.stringify(whole), '{"name":"x","part":{"count":0}}');
    assert.deepEqual({ ...whole }, { name: 'x', part: whole['part'] });
    assert.deepEqual(said, []);
  });

  test('of a scope are there beside what every object has', () => {
    const scope = withEarlierNames({ run: { id: 'r_1' }, request: { overrides: {} } } as never);
    assert.equal('runId' in scope, true);
    assert.equal(Object.hasOwn(scope, 'runId'), false);
    assert.equal(scope instanceof Object, true);
    assert.deepEqual(Object.keys({ ...scope }), ['run', 'request']);
  });

  test('of the request of a scope are there too', (t) => {
    const said = warnings(t, 'scope.request');
    const overrides = { maxTicks: 3 };
    const { request } = withEarlierNames({ run: {}, request: { overrides, stdin: '' } } as never);
    assert.equal(Reflect.get(request, 'wanted'), overrides);
    assert.deepEqual(Object.keys({ ...request }), ['overrides', 'stdin']);
    assert.equal(said.length, 1);
  });
});

describe('a family as release 0.1 defined it', () => {
  const base = {
    id: 'a',
    label: 'A',
    parse: () => ({ name: '', card: { description: '' }, definition: undefined, issues: [] }),
    execute: () => Promise.resolve({ status: 'done', text: '' } as const),
  };
  const define = (spec: object): Family => defineFamily(spec as FamilySpec<unknown>);

  test('has every member in its group', (t) => {
    warnings(t, 'FamilySpec');
    const names = [
      ...['purpose', 'firstWords', 'template', 'templateFrom', 'lint', 'defaultArgument', 'readsWords'],
      ...['accept', 'runsCode', 'render', 'load', 'hook', 'prepare', 'preparesEarly', 'isDue', 'inspect'],
      ...['build', 'adHoc', 'answers', 'recognises'],
    ];
    const flat = Object.fromEntries(names.map((name) => [name, name]));
    const { id, label, parse, execute, ...groups } = define({ ...base, ...flat, permission: () => ({}) });
    assert.deepEqual([id, label, typeof parse, typeof execute], ['a', 'A', 'function', 'function']);
    const { permission, ...rest } = groups;
    assert.deepEqual([typeof permission?.describe, permission?.runsCode], ['function', 'runsCode']);
    assert.deepEqual(rest, {
      authoring: {
        purpose: 'purpose',
        examplePrompt: 'firstWords',
        template: 'template',
        templateFrom: 'templateFrom',
        lint: 'lint',
      },
      input: { defaultArgument: 'defaultArgument', acceptsText: 'readsWords', accept: 'accept' },
      text: { render: 'render', load: 'load', hook: 'hook' },
      generation: {
        prepare: 'prepare',
        isEarly: 'preparesEarly',
        isDue: 'isDue',
        inspect: 'inspect',
        build: 'build',
      },
      prompts: { assistant: 'adHoc', answers: 'answers', recognises: 'recognises' },
    });
  });

  test('may be a copy of a current one with a member of the old kind', (t) => {
    warnings(t, 'FamilySpec');
    const current = define({
      ...base,
      input: { defaultArgument: 'x' },
      permission: { runsCode: () => true },
    });
    const copy = define({ ...current, readsWords: true, lint: undefined });
    assert.deepEqual(copy.input, { defaultArgument: 'x', acceptsText: true });
    assert.equal(copy.permission?.runsCode?.({}), true);
    assert.equal('lint' in copy, false);
    assert.equal(define(copy), copy);
  });

  test('has the current names of members in its groups', (t) => {
    const said = [warnings(t, 'FamilySpec.authoring'), warnings(t, 'FamilySpec.input')];
    const groups = { authoring: { purpose: 'p', firstWords: 'f' }, input: { readsWords: true } };
    const family = define({ ...base, ...groups });
    assert.deepEqual(family.authoring, { purpose: 'p', examplePrompt: 'f' });
    assert.deepEqual(family.input, { acceptsText: true });
    assert.deepEqual(groups.authoring, { purpose: 'p', firstWords: 'f' });
    assert.ok(said.flat().length >= 1);
  });

  test('may be of a class: its methods find each other and what is private', (t) => {
    warnings(t, 'FamilySpec');
    class Counter {
      readonly id = 'counter';
      readonly label = 'Counter';
      #count = 0;
      parse = base.parse;
      accept(_definition: unknown, input: unknown): unknown {
        this.#count += 1;
        return `${String(input)} ${this.#count}`;
      }
      permission(): object {
        return { label: 'Counter' };
      }
      async execute(): Promise<unknown> {
        return { status: 'done', text: String(this.accept(undefined, 'in')), value: this.permission() };
      }
    }
    const family = define(new Counter());
    assert.equal(family.input?.accept?.({}, 'a'), 'a 1');
    assert.deepEqual(family.permission?.describe?.({}), { label: 'Counter' });
    return family.execute({}, null, {} as never).then((output) => {
      assert.deepEqual(output, { status: 'done', text: 'in 2', value: { label: 'Counter' } });
    });
  });

  test('is understood where no one called defineFamily; a current one stays as it is', (t) => {
    warnings(t, 'FamilySpec');
    const current = { ...base, permission: { runsCode: () => true } };
    assert.equal(currentFamily(current), current);
    const old: Family = currentFamily({ ...base, runsCode: () => true });
    assert.equal(old.permission?.runsCode?.({}), true);
  });
});
